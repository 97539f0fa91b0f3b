"""Two options of the test run: `--may-skip`, which tests may be skipped, and `--cpu`, what each file costs."""

import os
import re
from collections import Counter

import pytest


class Reporting:
    """A pytest plugin. Workers of pytest-xdist measure, and the process that they report to adds up."""

    def __init__(self, config):
        self.may_skip = config.option.may_skip
        self.shows_cpu = config.option.cpu
        self.is_worker = hasattr(config, "workerinput")
        self.refused = Counter()  # reasons for which tests were skipped and may not be
        self.costs = Counter()  # CPU seconds by file
        self.before = used()

    def pytest_collection_finish(self):
        self.before = used()  # the tests were read for all files: no matter of the one whose test comes first

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        now = used()
        report.cpu, self.before = now - self.before, now  # of setup, call or teardown; travels with the report
        return report

    def pytest_runtest_logreport(self, report):
        self.costs[report.nodeid.partition("::")[0]] += getattr(report, "cpu", 0.0)  # a worker that died tells nothing
        self.pytest_collectreport(report)

    def pytest_collectreport(self, report):
        if report.skipped and self.may_skip is not None and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2]
            if not re.search(self.may_skip, reason):
                self.refused[f"{report.nodeid.partition('::')[0]}: {reason}"] += 1

    def pytest_sessionfinish(self, session):
        if self.refused and not self.is_worker:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.refused:
            terminalreporter.section("skipped, and not for a reason in --may-skip", red=True)
        for reason, count in self.refused.items():
            terminalreporter.line(f"{count} in {reason}")
        if self.shows_cpu:
            terminalreporter.section(f"CPU seconds, {sum(self.costs.values()):.0f} in all")
            for file, seconds in self.costs.most_common(40):
                terminalreporter.line(f"{seconds:8.1f} {file}")


def used():
    """CPU seconds of this process and of the children that have ended."""
    return sum(os.times()[:4])
