"""Pages whose sections have an anchor, a heading and worked numbers: what stands in them, and whether it is so."""

import inspect
import math
import re
from ast import literal_eval
from pathlib import Path

import numpy as np

LECTURES = Path(__file__).parents[1] / "lectures"
ROUNDED = 5.5e-4  # numbers are shown to three decimals


def fenced(kind, text):
    """The lines in all code blocks of one kind."""
    found = re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [line for block in found for line in block.splitlines()]


def split_page(text, heading=r'<a id="(.+)"></a>\n\n### (.+)'):
    """(what stands before the sections, anchor -> heading, anchor -> text) of a page."""
    introduction, *rest = re.split(rf"^{heading}\n", text, flags=re.MULTILINE)
    titles = dict(zip(rest[::3], rest[1::3], strict=True))
    return introduction, titles, {key: text.split("\n## ")[0] for key, text in zip(rest[::3], rest[2::3], strict=True)}


def equations(text):
    """The lines of worked numbers that have something between equals signs."""
    return [line for line in fenced("numbers", text) if line.count(" = ") > 1]


def check_equation(line):
    """What stands between equals signs is equal."""
    names = {"tanh": math.tanh, "ln": math.log, "sqrt": math.sqrt}
    first, *others = [eval(x.replace("×", "*").replace("√", "sqrt"), names) for x in line.split(" = ")[1:]]
    for other in others:
        np.testing.assert_allclose(other, first, rtol=0, atol=ROUNDED)


def shown(text):
    """The numbers of a section: name -> the number at the end of its line."""
    return {line.split(" = ")[0]: literal_eval(line.split(" = ")[-1]) for line in fenced("numbers", text)}


def check_computation(text, computation):
    """What a section shows is given to the computation, by the names that it takes, or comes out of it."""
    numbers = {name: np.asarray(value, float) for name, value in shown(text).items()}
    given = inspect.signature(computation).parameters
    computed = computation(**{name: numbers[name] for name in given})
    assert computed.keys() == numbers.keys() - given.keys()
    for name, value in computed.items():
        np.testing.assert_allclose(np.squeeze(value), np.squeeze(numbers[name]), rtol=0, atol=ROUNDED, err_msg=name)
