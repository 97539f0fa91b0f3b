"""What the gradient check says that is no matter of numbers: things modified, wrong shapes, memory, exceptions."""

import inspect

import pytest
from planted import broken, check, edited, elman_backward, elman_step, student

import tinyrnn as tr

# which function, what is replaced in it, what the problem says; the gradients are right all the same
CHANGES_IN_PLACE = {
    "x": ("step", ("h = np", "x += 1; h = np"), "elman_step changes its argument x in place"),
    "state": ("step", ("h = np", "h_prev += 1; h = np"), "elman_step changes its argument state[0] in place"),
    "dstate": (
        "step_backward",
        ("da = dstate[0] *", "da = dstate[0]; da *="),
        "elman_backward changes its argument dstate[0] in place",
    ),
    "cache": (
        "step_backward",
        ("(1 - h * h)", "(1 - np.multiply(h, h, out=h))"),
        "elman_backward changes its argument cache[2] in place",
    ),
    "params": (
        "step_backward",
        ("da = d", "p['b'] -= 1; da = d"),
        "elman_backward changes its argument p.b in place",
    ),
}


@pytest.mark.parametrize("which, change, problem", CHANGES_IN_PLACE.values(), ids=CHANGES_IN_PLACE)
def test_what_a_student_changes_in_place_is_named_and_its_gradients_are_not_blamed(which, change, problem):
    function = {"step": elman_step, "step_backward": elman_backward}[which]
    report = check(student(**{which: edited(function, change)}))
    assert not report.ok
    assert [line.partition(":")[0] for line in report.problems] == [problem]
    assert not report.wrong


def test_parameters_changed_by_the_forward_pass_are_named():
    report = check(student(step=edited(elman_step, ("h = np", "p['b'] += 1; h = np"))))
    assert report.problems == ["elman_step changes its argument p.b in place: work on a copy"]


# class, method, what is replaced, what the problem says
CELL_CHANGES_IN_PLACE = {
    "dc": (
        tr.LSTM,
        "step_backward",
        "dc = dc + dtanh_c",
        "dc += dtanh_c",
        "LSTM.step_backward changes its argument dc",
    ),
    "f": (
        tr.LSTM,
        "step_backward",
        "dc_prev = dc * f",
        "f *= dc; dc_prev = f",
        "LSTM.step_backward changes its argument f",
    ),
    "c_prev": (tr.LSTM, "step", "c = f", "c_prev *= f; c = f", "LSTM.step changes its argument c_prev"),
    "da": (
        tr.Elman,
        "gradients",
        '"b": db',
        '"b": np.multiply(da, 2, out=da)[0, 0]',
        "Elman.gradients changes its argument da",
    ),
    "W_x": (tr.Elman, "project", "return", "p.W_x[...] = 1; return", "Elman.project changes its argument p.W_x"),
}


@pytest.mark.parametrize("cls, method, old, new, problem", CELL_CHANGES_IN_PLACE.values(), ids=CELL_CHANGES_IN_PLACE)
def test_what_a_cell_changes_in_place_is_named(cls, method, old, new, problem):
    report = check(broken(cls, method, old, new)(1, 2, rng=0))
    assert [line.partition(" in place")[0] for line in report.problems] == [problem]


def test_a_backward_pass_that_changes_the_upstream_gradient_is_named():
    class Greedy(tr.Elman):
        def backward(self, dh, tape, dstate=None, **options):
            back = super().backward(dh, tape, dstate, **options)
            dh *= 0
            return back

    report = check(Greedy(1, 2, rng=0))
    assert report.problems == ["the backward pass changes its argument dh in place: work on a copy"]
    assert not report.wrong


def test_a_readout_that_changes_its_input_is_named():
    class Rude(tr.Readout):
        def forward(self, h):
            h *= 1.5
            return super().forward(h)

    report = check(tr.Model(tr.Elman(2, 2, rng=0), Rude(2, 2, rng=1)))
    assert report.problems[0] == "readout.forward changes its argument h in place: work on a copy"


# class, method, what is replaced, the problem
BROKEN_CONTRACT = {
    "(1, n) for (n,)": (
        tr.Elman, "gradients", '"b": db', '"b": db[None]',
        "the gradient of b has shape (1, 2), what it belongs to has (2,)",
    ),
    "a gradient is missing": (
        tr.Elman, "gradients", '"W_h": weight_gradient(h_prev, da), ', "",
        "Elman.gradients returns no gradient for W_h",
    ),
    "a gradient too many": (
        tr.Elman, "gradients", '"b": db', '"b": db, "bias": db',
        "Elman.gradients returns bias, which is no parameter",
    ),
    "float32": (
        tr.Elman, "gradients", '"b": db', '"b": db.astype(np.float32)',
        "the gradient of b is float32, what it belongs to is float64",
    ),
    "a state is missing": (
        tr.LSTM, "step", "return (h, c),", "return (h,),",
        "LSTM.step must return a tuple of 2 states, got 1 of them",
    ),
    "a state that would broadcast": (
        tr.Elman, "step", "return (h,)", "return (h[:1],)",
        "Elman.step must return states of shape (2, 2), got (1, 2) for number 0",
    ),
    "a gradient of the state is missing": (
        tr.LSTM, "step_backward", "(dh_prev, dc_prev)", "(dh_prev,)",
        "LSTM.step_backward must return a tuple of 2 states, got 1 of them",
    ),
    "a gradient of the state that would broadcast": (
        tr.Elman, "step_backward", "(dh_prev,)", "(dh_prev.sum(axis=0),)",
        "Elman.step_backward must return states of shape (2, 2), got (2,) for number 0",
    ),
    "the state alone": (
        tr.Elman, "step", "return (h,), {}", "return h",
        "Elman.step must return (state, kept), got ndarray",
    ),
    "NaN": (tr.Elman, "step", "return", "h = h * np.nan; return", "the forward pass puts out NaN in the output"),
}  # fmt: skip


@pytest.mark.parametrize("cls, method, old, new, problem", BROKEN_CONTRACT.values(), ids=BROKEN_CONTRACT)
def test_a_broken_contract_is_one_problem_in_one_line(cls, method, old, new, problem):
    report = check(broken(cls, method, old, new)(1, 2, rng=0))
    assert report.problems == [problem]
    assert not report.ok


# what is replaced in the student's step_backward, a piece of the problem
STUDENT_CONTRACT = {
    "(1, n) for (n,)": (("sum(axis=0)", "sum(axis=0, keepdims=True)"), "dparams['b'] must have shape (3,), got (1, 3)"),
    "a gradient is missing": ((', "b": da.sum(axis=0)', ""), "dparams must be a dict with W_x, W_h, b, got W_x, W_h"),
    "no tuple": (("(da @ p['W_h'].T,)", "None"), "dstate_prev must be a tuple of 1 arrays, got NoneType"),
    "an exception": (('p["W_h"].T', 'p["W"].T'), "KeyError: 'W'"),
}


@pytest.mark.parametrize("change, problem", STUDENT_CONTRACT.values(), ids=STUDENT_CONTRACT)
def test_what_the_adapter_refuses_is_one_problem(change, problem):
    change = (change[0].replace("'", '"'), change[1])
    report = check(student(step_backward=edited(elman_backward, change)))
    assert len(report.problems) == 1 and problem in report.problems[0]
    assert not report.ok and not report.rows


def test_an_exception_is_a_problem_that_names_file_and_line():
    def not_written(p, cache, dstate):
        raise NotImplementedError("E3: write me")

    report = check(student(step_backward=not_written))
    line = inspect.getsourcelines(not_written)[1] + 1
    assert report.problems == [
        f"the backward pass fails: NotImplementedError: E3: write me (test_side_effects.py, line {line})"
    ]


def test_gradients_that_add_up_from_call_to_call_are_noticed():
    kept = {"W_x": 0, "W_h": 0, "b": 0}

    def accumulating(p, cache, dstate):
        dx, dstate_prev, dparams = elman_backward(p, cache, dstate)
        for name, d in dparams.items():
            kept[name] = kept[name] + d
        return dx, dstate_prev, dict(kept)

    report = check(student(step_backward=accumulating))
    assert report.problems == [
        "a second backward pass gives another result: are gradients added to those of the call before?"
    ]


def test_a_forward_pass_that_remembers_the_call_before_is_noticed():
    class Forgetful(tr.Elman):
        last = 0.0

        def step(self, p, a, h_prev):
            state, kept = super().step(p, a, h_prev + self.last)
            self.last = 0.1 * state[0]
            return state, kept

    report = check(Forgetful(1, 2, rng=0))
    assert report.problems == [
        "a second forward pass on the same input gives another result: is something kept from call to call?"
    ]
