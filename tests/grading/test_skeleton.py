"""What students get of a master has its signatures and docstrings, and none of its solutions."""

import ast

import made_up
import pytest

from tinyrnn.grading.skeleton import skeleton, solution_lines


def test_signatures_docstrings_and_given_code_stay_and_bodies_raise():
    text = skeleton(made_up.MASTER)
    module = {}
    exec(text, module)
    assert module["line"].__doc__ == "x (N,), a and b numbers -> y (N,): a straight line."
    with pytest.raises(NotImplementedError, match=r"^line$"):
        module["line"](1.0, 2.0, b=3.0)
    assert "assert dy.shape == x.shape" in text and "SCALE = 1.0" in text


def test_nothing_of_a_solution_is_left():
    text = skeleton(made_up.MASTER)
    assert "straight =" not in text and "added_up" not in text and "SOLUTION" not in text and "pulls" not in text


def test_a_block_outside_functions_leaves_no_hole():
    master = "x = 1\n\n\n# BEGIN SOLUTION\ny = 2\n# END SOLUTION\n\n\nz = 3\n"
    assert skeleton(master) == "x = 1\n\n\nz = 3\n"
    assert skeleton(made_up.MASTER).endswith('raise NotImplementedError("line_backward")\n')


def test_a_method_and_a_function_within_a_solution_are_told_apart():
    master = '''
class Net:
    def forward(self, x):
        """x -> y."""
        # BEGIN SOLUTION
        def inner(z):
            return z

        return inner(x)
        # END SOLUTION
'''
    assert skeleton(master).endswith('        """x -> y."""\n        raise NotImplementedError("forward")\n')


def test_the_indentation_of_a_marker_is_kept_within_given_code():
    master = (
        "def f(xs):\n    for x in xs:\n        # BEGIN SOLUTION\n        g(x)\n        # END SOLUTION\n    return xs\n"
    )
    assert skeleton(master) == 'def f(xs):\n    for x in xs:\n        raise NotImplementedError("f")\n    return xs\n'


@pytest.mark.parametrize(
    ("master", "told"),
    [
        (
            "def f():\n    # BEGIN SOLUTION\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n",
            "line 3: .* line 2",
        ),
        ("def f():\n    return 1\n    # END SOLUTION\n", "line 3: # END SOLUTION without"),
        ("def f():\n    # BEGIN SOLUTION\n    return 1\n", "line 2: # BEGIN SOLUTION without"),
        ("def f():\n    # BEGIN SOLUTION\n    return 1\n# END SOLUTION\n", "line 4: .* not indented"),
        ("def f():\n    # BEGIN SOLUTIONS\n    return 1\n    # END SOLUTION\n", "line 2: a marker is written"),
        ("def f():\n    #BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n", "line 2: a marker is written"),
        ("def f():\n    # BEGIN SOLUTION\n    # later\n    # END SOLUTION\n    return 1\n", "line 2: there is nothing"),
        ("def f():\n    return 1\n", "no # BEGIN SOLUTION"),
        ("def f(:\n", "the master does not compile: line 1"),
        (
            "class A:\n    # BEGIN SOLUTION\n    x = 1\n    # END SOLUTION\n",
            "the skeleton does not compile",
        ),
    ],
)
def test_markers_that_do_not_pair_up_are_refused_with_the_line(master, told):
    with pytest.raises(ValueError, match=told):
        skeleton(master)


@pytest.mark.parametrize(
    "docstring", ["straight = SCALE * a * x + b", "like so: straight=SCALE*a*x+b", "straight = SCALE *\n    a * x + b"]
)
def test_a_docstring_that_gives_the_solution_away_is_refused(docstring):
    master = made_up.MASTER.replace("a straight line.", docstring)
    with pytest.raises(ValueError, match=r"^line 18 .* straight = SCALE|^line 19 .* straight = SCALE"):
        skeleton(master)


def test_lines_that_are_given_elsewhere_as_code_give_nothing_away():
    line = "    return x.reshape(len(x), -1)\n"
    master = f"def g(x):\n{line}\n\ndef f(x):\n    # BEGIN SOLUTION\n{line}    # END SOLUTION\n"
    assert "raise NotImplementedError" in skeleton(master)
    assert solution_lines(master) == []


def test_the_head_of_a_loop_gives_away_what_is_worked_out_in_it_only():
    loops = "for step in reversed(range(len(xs))):", "for t in range(len(xs) - 1, -1, -1):"
    master = "def f(xs):\n    # BEGIN SOLUTION\n"
    master += "".join(f"    {loop}\n        pass\n" for loop in loops) + "    # END SOLUTION\n"
    assert [text for _, text in solution_lines(master)] == [loops[1]]


def test_comments_of_a_solution_count_and_short_lines_do_not():
    lines = dict((text, n) for n, text in solution_lines(made_up.MASTER))
    assert "# each point pulls with its distance" in lines
    assert "da = added_up(dy * x * SCALE)" in lines
    assert "return da, db" not in lines


def test_the_skeleton_of_a_skeleton_like_file_with_windows_line_ends_compiles():
    ast.parse(skeleton(made_up.MASTER.replace("\n", "\r\n")))
