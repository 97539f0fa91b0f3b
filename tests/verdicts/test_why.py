"""`tinyrnn lines --why`: what stands behind each verdict."""

import json

import pytest
from students import copy_of_hands, write
from test_course_files import HELPERS

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.sources.user_file import loaded

STEP = '''
    def step_forward(x, h, W, U, b):
        """x (N, D), h (N, H), W (D, H), U (H, H), b (H,)"""
        a = x @ W + h @ U + b
        new = np.tanh(a)
        return new, (x, h, W, U, new)


    def step_backward(dnew, cache):
        x, h, W, U, new = cache
        scale = 2.0 * x
        dpre = dnew * (1 - new**2)
        da = dpre * {factor}
        dW = 0.5 * scale.T @ da
        dh = da @ U.T
        return da @ W.T, dh, dW, h.T @ da, da.sum(0)
'''
NO_CELL = '''
    def cube_forward(x, W):
        """x (N, D), W (D, H)"""
        y = (x @ W) ** 3
        return y, (x, W)


    def cube_backward(dy, cache):
        x, W = cache
        dp = dy * 3 * (x @ W) ** 2
        return dp @ W.T, x.T @ dp
'''


def judged(folder, text):
    with loaded(write(folder, text)) as module:
        (report,) = tr.lines(module)
        return report


def reasons_of(report):
    return {reason.name: reason for reason in report.reasons}


def test_a_wrong_line_is_told_with_its_partner_its_comparison_and_the_outcome(tmp_path):
    found = reasons_of(judged(tmp_path, STEP.format(factor="2")))
    assert found["da"].taken_for == "taken for the gradient of a as it is assigned in line 6 of step_forward"
    assert "(3, 5) compared with numerical gradients (complex step)" in found["da"].compared
    assert "1e-07 is allowed" in found["da"].compared
    assert found["da"].outcome == "accused"
    assert found["dW"].outcome == "ok" and "given to step_forward" in found["dW"].taken_for
    assert found["new"].taken_for.endswith("worked out again or taken out of a cache")


def test_what_is_not_judged_has_a_reason_too(tmp_path):
    found = reasons_of(judged(tmp_path, STEP.format(factor="1")))
    assert "nothing in the forward pass goes by that name" in found["dpre"].taken_for
    assert found["scale"].taken_for.startswith("not judged: no gradient by its name")
    assert found["cache"].taken_for.startswith("given: ")
    assert {reason.outcome for reason in found.values()} == {"", "ok"}


def test_why_a_cell_is_recognised_or_not(tmp_path):
    assert judged(tmp_path, STEP.format(factor="1")).recognition == "the forward pass is that of the package's Elman"
    why = judged(tmp_path, NO_CELL).recognition
    assert why.startswith("the forward pass is not known to be that of one of the package's cells: ")
    assert "x (3, 2), W (2, 5) can be a cell's in 2 ways, with 1 blocks of weights" in why
    assert why.endswith("(Elman, LinearRNN); no output of any is there")


def test_the_nearest_cell_is_named_where_a_part_of_its_outputs_is_there(tmp_path):
    text = '''
    def net_forward(x, h0, W, U):
        """x (N, T, D), h0 (N, H), W (D, H), U (H, H)"""
        h, hs = h0, []
        for t in range(x.shape[1]):
            h = np.tanh(x[:, t] @ W + h @ U) * (1.0 if t < 2 else 0.5)
            hs.append(h)
        return np.stack(hs, 1), (x, h0, W, U, hs)


    def net_backward(dout, cache):
        x, h0, W, U, hs = cache
        return dout @ W.T
    '''
    why = judged(tmp_path, text).recognition
    assert "the nearest was Elman, of which 2 of 4 outputs are there" in why


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inplace.py", "classes.py"])
def test_every_row_of_a_report_has_its_reason_and_the_text_has_them_all(tmp_path, name):
    path, _ = copy_of_hands(tmp_path, name)
    with loaded(path) as module:
        reports = tr.lines(module)
    assert len(reports) > 2
    for report in reports:
        reasons = {(reason.function, reason.line, reason.name) for reason in report.reasons}
        rows = {(row.function, row.line, row.name) for row in report.rows}
        assert rows and rows <= reasons
        text = report.why()
        assert text.startswith(f"{report.title}: all right")
        assert all(reason.taken_for in text for reason in report.reasons)


def test_the_command_prints_it_and_json_holds_it(tmp_path, capsys):
    path = write(tmp_path, STEP.format(factor="2"))
    assert main(["lines", str(path), "--why"]) == 1
    text = capsys.readouterr().out
    assert "  15 |     da = dpre * 2\n       da: taken for the gradient of a as it is assigned in line 6" in text
    assert text.count("the forward pass is that of the package's Elman") == 1
    assert main(["lines", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)["reports"][0]
    (reason,) = [reason for reason in report["reasons"] if reason["name"] == "da"]
    assert (reason["line"], reason["outcome"]) == (15, "accused")
    assert report["recognition"] == "the forward pass is that of the package's Elman"


def test_the_repair_that_names_suggest_is_told_and_the_edit_that_decides(tmp_path):
    found = reasons_of(judged(tmp_path, STEP.format(factor="2")))
    told = found["da"].repair
    assert told.startswith(
        "right values here, as the names suggest: all results would be right, but scale (line 13) would be the "
        "gradient of nothing"
    )
    assert "; all results are right with `da = dpre`: this is accused" in told


@pytest.mark.slow
def test_a_return_that_is_accused_is_told_too_in_a_helper_as_well(tmp_path):
    report = judged(tmp_path, HELPERS.replace("x.T @ dpre", "2 * x.T @ dpre"))
    (row,) = report.wrong
    assert row.function == "through_weights"
    assert "2 * x.T @ dpre" in str(report)  # the helper is listed
    (reason,) = [one for one in report.reasons if (one.function, one.line) == (row.function, row.line)]
    assert reason.name == "return" and reason.repair.endswith(": this is accused")
    assert "right values here, part 2: all results would be right" in reason.repair
