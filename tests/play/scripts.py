"""Runs the JavaScript of a page without a browser, by node; where there is none, tests that need it are skipped."""

import json
import re
import shutil
import subprocess

import pytest

NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node to run JavaScript with")


def run(text):
    """What a program prints, JSON, as Python has it."""
    return json.loads(subprocess.run([NODE, "-"], input=text, capture_output=True, encoding="utf-8", check=True).stdout)


def without_browser(page, until, program):
    """What `program` prints behind the page's script up to the text `until`: the arithmetic, which comes first."""
    script = re.search(r'<script type="module">\n(.*)</script>', page, re.DOTALL)[1]
    return run(f"{script[: script.index(until)]}\n{program}")
