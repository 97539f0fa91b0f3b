"""Python 2, rewritten line by line."""

import inspect
import linecache

import pytest

from tinyrnn.sources.python2 import as_python_3
from tinyrnn.sources.reading import read
from tinyrnn.sources.user_file import loaded

FORMS = {
    "print": ("print 'a', x", "print('a', x)"),
    "print with a format": ("print '%d # %d' % (1, 2)  # shown", "print('%d # %d' % (1, 2))  # shown"),
    "print of parentheses and more": ("print ('a %s') % x", "print(('a %s') % x)"),
    "print over two lines": ("print f(1,\n  2), 3", "print(f(1,\n  2), 3)"),
    "print without a new line": ("print x,", 'print(x, end=" ")'),
    "print alone": ("print", "print()"),
    "print to a file": ("print >>out, x, 1", "print(x, 1, file=out)"),
    "several in a line": ("if x: print 1; print 2", "if x: print(1); print(2)"),
    "an error that is caught": ("try: f()\nexcept (A, B), e: pass", "try: f()\nexcept (A, B) as e: pass"),
    "an error that is raised": ("raise E, 'a, b'", "raise E('a, b')"),
    "ranges": ("for t in reversed(xrange(3)): print t", "for t in reversed(range(3)): print(t)"),
    "items": ("for k, v in d.iteritems(): print k", "for k, v in d.items(): print(k)"),
    "a key": ("print d.has_key(k)", "print(d.__contains__(k))"),
    "a question": ("print raw_input()", "print(input())"),
    "backticks": ("x = `y`", "x = repr(y)"),
    "unequal": ("x <> y", "x != y"),
    "octal and long numbers": ("f(0755, 10L, 0.05)", "f(0o755, 10, 0.05)"),
    "a module": ("import gzip, cPickle\nprint 1", "import gzip, pickle as cPickle\nprint(1)"),
    "a module by another name": ("import cPickle as p\nprint 1", "import pickle as p\nprint(1)"),
    "something from a module": ("from cStringIO import StringIO\nprint 1", "from io import StringIO\nprint(1)"),
    "tabs for eight blanks": ("if x:\n\tf()\n        print x", "if x:\n        f()\n        print(x)"),
}
OLD = '''"""print x"""
def double_forward(x):
    print "x is",
    print x
    return sum([x for _ in xrange(2)]), None
'''


@pytest.mark.parametrize("old, new", FORMS.values(), ids=FORMS)
def test_a_form_of_python_2_is_rewritten(old, new):
    assert as_python_3(old) == new


KEPT = {
    "strings and comments": "s = 'print x, xrange `y` <> 0777'  # print x",
    "long strings": 's = """\nprint x\n"""',
    "calls": "print(x)",
    "attributes": "numpy.unicode(x)",
    "what is wrong in both": "print x\ndef f(:",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_is_not_python_2_stays(text):
    assert as_python_3(text) is None


def test_a_file_of_python_2_is_looked_at_with_its_own_line_numbers_and_that_is_said(tmp_path, capsys):
    (tmp_path / "hw.py").write_text(OLD)
    with loaded(tmp_path / "hw.py") as module:
        assert module.double_forward(2) == (4, None)
        assert read(module.double_forward).body[1].lineno == 4
        assert inspect.getsourcelines(module.double_forward)[0][3].strip() == "return sum([x for _ in range(2)]), None"
    err = capsys.readouterr().err
    assert 'hw.py:3, print "x is",: this is Python 2' in err and err.count("\n") == 1


def test_a_file_that_is_put_right_afterwards_is_read_anew(tmp_path):
    for text in (OLD, "def double_forward(x):\n    return 2 * x, None\n"):
        (tmp_path / "hw.py").write_text(text)
        with loaded(tmp_path / "hw.py") as module:
            lines = inspect.getsourcelines(module.double_forward)[0]
    assert lines[1] == "    return 2 * x, None\n"


def test_cells_of_python_2_are_rewritten(tmp_path, capsys):
    sources = ["x = 1\n\nx = 2", "", "print x\ndef f(n):\n    return len(xrange(n))"]
    cells = ", ".join(f'{{"cell_type": "code", "source": ["{source}"]}}'.replace("\n", "\\n") for source in sources)
    (tmp_path / "hw.ipynb").write_text(f'{{"cells": [{cells}]}}')
    with loaded(tmp_path / "hw.ipynb") as module:
        assert module.f(3) == 3
        assert linecache.getline(module.f.__code__.co_filename, module.f.__code__.co_firstlineno) == "def f(n):\n"
    assert "hw.ipynb:6, print x: this is Python 2" in capsys.readouterr().err


WANTED = {"xrange(3)": True, "xrange = range\nxrange(3)": False, "import cPickle": True, "range(3)": False}


@pytest.mark.parametrize("text, said", WANTED.items())
def test_a_file_without_an_error_is_python_2_if_it_wants_what_is_gone(tmp_path, capsys, text, said):
    (tmp_path / "hw.py").write_text(f"def f(): pass\n{text}\n")
    with loaded(tmp_path / "hw.py"):
        assert ("this is Python 2" in capsys.readouterr().err) == said
