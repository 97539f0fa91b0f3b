"""Programs that show by their own calls how their passes are called, where names tell too little."""

import textwrap

import pytest

import tinyrnn as tr
from tinyrnn.sources import running
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.subjects import seen_pair

WORDS = """
    import numpy as np

    class Net:
        def __init__(self, units, words, zeal):
            self.zeal, self.words = zeal, words
            self.U, self.W = np.random.randn(units, words), np.random.randn(units, units)
            self.V, self.b = np.random.randn(words, units), np.zeros((units, 1))

        def forward(self, tokens, memory):
            xs, hs, ps = {}, {-1: memory}, {}
            for t, token in enumerate(tokens):
                xs[t] = np.zeros((self.words, 1))
                xs[t][token] = 1
                hs[t] = np.tanh(self.U @ xs[t] + self.W @ hs[t - 1] + self.b)
                e = np.exp(self.V @ hs[t])
                ps[t] = e / e.sum()
            return xs, hs, ps

        def loss(self, ps, wanted):
            return sum(-np.log(ps[t][w, 0]) for t, w in enumerate(wanted))

        def backward(self, xs, hs, ps, wanted):
            dU, dW, dV, db = (np.zeros_like(a) for a in (self.U, self.W, self.V, self.b))
            dnext = np.zeros_like(hs[0])
            for t in reversed(range(len(wanted))):
                dy = np.copy(ps[t])
                dy[wanted[t]] -= 1
                dV += dy @ hs[t].T
                dz = (1 - hs[t] ** 2) * (self.V.T @ dy + dnext)
                db += dz
                dU += dz @ xs[t].T
                dW += dz @ hs[t - 1].T
                dnext = self.W.T @ dz
            for d in (dU, dW, dV, db):
                np.clip(d, -0.01, 0.01, out=d)
            return dU, dW, dV, db
    """
TRAINS = """
    def train(net):
        memory = np.zeros((3, 1))
        while True:
            xs, hs, ps = net.forward([0, 2, 1], memory)
            print(net.loss(ps, [2, 1, 3]))
            net.backward(xs, hs, ps, [2, 1, 3])

    if __name__ == "__main__":
        train(Net(3, 4, 0.1))
    """
LAYER = """
    import numpy as np

    class Layer:
        def __init__(self, settings):
            self.W = np.random.randn(settings["wide"], settings["wide"])
        def forward(self, signal):
            kept = np.tanh(signal @ self.W)
            return 2 * kept, kept
        def backward(self, signal, kept, message):
            dz = 2 * message * (1 - kept ** 2)
            return dz @ self.W.T, signal.T @ dz
    """
USED = """
    layer, signal = Layer({"wide": 3}), np.random.randn(2, 3)
    out, kept = layer.forward(signal)
    layer.backward(signal, kept, out - 1)
    """


@pytest.fixture
def judge(tmp_path):
    """The text of a program -> its `LineReports`."""

    def judge(*texts):
        path = tmp_path / "program.py"
        path.write_text("".join(map(textwrap.dedent, texts)))
        with loaded(path) as module:
            return tr.lines(module)

    return judge


def said(report):
    """All that reports say of what is wrong or was not judged."""
    return " ".join(problem for one in report for problem in one.problems)


def test_a_call_under_main_tells_inputs_targets_and_the_loss(judge):
    (report,) = judge(WORDS, TRAINS)
    assert report.ok and {row.name for row in report.rows if row.verdict == "ok"} >= {"dU", "dW", "dV", "db"}


def test_the_note_says_which_line_makes_the_call(judge):
    (report,) = judge(WORDS, TRAINS)
    assert "line 42 of" in report.notes[-1] and "program.py" in report.notes[-1]


def test_a_wrong_line_is_found_in_the_call_of_the_program(judge):
    (report,) = judge(WORDS.replace("dnext = self.W.T @ dz", "dnext = self.W @ dz"), TRAINS)
    assert [row.name for row in report.wrong] == ["dnext"]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "start",
    [
        "def main():\n    train(Net(3, 4, 0.1))\n",
        "def test_words(net=None):\n    train(Net(3, 4, 0.1))\n",
        "import nowhere_to_be_found\nnowhere_to_be_found.plot()\ntrain(Net(3, 4, 0.1))\n",
        "if __name__ == '__main__':\n    print(input())\n    train(Net(3, 4, 0.1))\n",
    ],
    ids=["main", "test function", "after an error", "after input()"],
)
def test_the_call_is_seen_wherever_the_program_makes_it(judge, start, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 1.0)
    (report,) = judge(WORDS, TRAINS.partition("if __name__")[0], start)
    assert report.ok and report.rows


def test_a_loss_that_is_worked_out_after_the_backward_pass_counts(judge):
    later = TRAINS.replace("            print(net.loss(ps, [2, 1, 3]))\n", "")
    (report,) = judge(WORDS, later.rstrip().replace("ps, [2, 1, 3])", "ps, [2, 1, 3]); net.loss(ps, [2, 1, 3])", 1))
    assert report.ok and report.rows


@pytest.mark.parametrize(
    "loss", ["", "            net.loss(ps, [0, 0, 0])\n"], ids=["no loss", "a loss of other targets"]
)
def test_targets_without_a_loss_of_them_are_not_differentiated(judge, loss):
    with pytest.raises(ValueError, match="there is no loss to differentiate"):
        judge(WORDS, TRAINS.replace("            print(net.loss(ps, [2, 1, 3]))\n", loss))


@pytest.mark.slow
def test_a_loss_that_is_not_what_is_differentiated_accuses_nobody(judge):
    squares = WORDS.replace("-np.log(ps[t][w, 0])", "(1 - ps[t][w, 0]) ** 2")
    with pytest.raises(ValueError, match=r"no gradient of Net.backward is that of Net.loss"):
        judge(squares, TRAINS)


def test_what_the_caller_made_of_an_output_is_a_gradient_from_above(judge):
    (report,) = judge(LAYER, USED)
    assert report.ok and report.compared


def test_an_output_that_the_caller_has_changed_is_a_gradient_from_above(judge):
    changed = USED.replace("layer.backward", "out -= 1\n    layer.backward").replace("out - 1)", "out)")
    (report,) = judge(LAYER, changed)
    assert report.ok and report.compared


def test_a_mistake_is_found_though_no_name_tells_what_is_what(judge):
    (report,) = judge(LAYER.replace("dz @ self.W.T", "dz @ self.W"), USED)
    assert [row.line for row in report.wrong] == [12] and report.wrong_results == ["signal"]


def test_a_gradient_of_another_value_than_the_output_of_its_size_accuses_nobody(judge):
    """It is that of what goes into the softmax, which is not returned."""
    softmax = """
        import numpy as np
        def step_forward(x, state, settings):
            new = np.tanh(settings["W"] @ state + settings["U"] @ x)
            scores = np.exp(settings["V"] @ new)
            return new, scores / scores.sum()
        def step_backward(dy, settings, new, x, before):
            dz = settings["V"].T @ dy * (1 - new ** 2)
            return {"V": dy @ new.T, "W": dz @ before.T, "U": dz @ x.T}
        settings = {name: np.random.randn(3, 3) for name in "WU"} | {"V": np.random.randn(4, 3)}
        x, state = np.random.randn(2, 3, 1)
        new, p = step_forward(x, state, settings)
        step_backward(p - np.eye(4)[:, :1], settings, new, x, state)
        """
    with pytest.raises(ValueError, match=r"no gradient of step_backward is that of step_forward"):
        judge(softmax)


def test_what_is_compared_with_the_output_is_no_gradient_from_above(judge):
    wishes = LAYER.replace("dz = 2 * message", "dz = 2 * (2 * kept - message)")
    with pytest.raises(ValueError, match=r"cannot tell what backward is given as message: .* something comes out"):
        judge(wishes, USED)


def test_a_value_of_the_call_is_taken_with_the_very_numbers_it_belongs_to(judge):
    """The bias is zero; with other numbers in its place the array that the caller made of it would not fit."""
    own = LAYER.replace("@ self.W)", "@ self.W + self.b)").replace("self.W =", "self.b, self.W = np.zeros(3),")
    (report,) = judge(own, USED.replace("kept, out", "out / 2 + 0, out"))
    assert report.ok and report.compared


def test_a_clip_within_the_forward_pass_stays(judge):
    hard = WORDS.replace("np.tanh(self.U", "np.clip(self.U").replace("+ self.b)", "+ self.b, -1, 1)")
    (report,) = judge(hard.replace("(1 - hs[t] ** 2)", "(abs(hs[t]) < 1)"), TRAINS)
    assert report.ok and report.rows


def test_what_can_be_judged_without_is_not_run(judge):
    plain = """
        def double_forward(x): return 2 * x, None
        def double_backward(dout, cache): return 2 * dout
        if __name__ == "__main__":
            raise_the_roof = double_forward(1 / 0)
            open("made", "w")
        """
    (report,) = judge(plain)
    assert report.ok and not any("call in line" in note for note in report.notes)


def test_nothing_is_written_while_a_program_shows_its_calls(judge, tmp_path):
    (report,) = judge(WORDS, TRAINS.replace("train(Net", 'open("model.bin", "wb").write(b"new"); train(Net'))
    assert report.rows and not (tmp_path / "model.bin").exists()


def test_the_same_call_is_judged_every_time(judge):
    wrong = LAYER.replace("dz @ self.W.T", "dz @ self.W")
    assert str(judge(wrong, USED)) == str(judge(wrong, USED))


def test_a_program_that_never_calls_them_is_judged_as_before(judge, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 0.2)
    with pytest.raises(ValueError, match=r"no idea what to give Layer\.forward as settings"):
        judge(LAYER, "while True: pass\n")


@pytest.mark.parametrize(
    ("place", "line"), [("run.py", "from program import Net"), ("../run.py", "from x.program import Net")]
)
def test_the_call_may_stand_in_a_file_that_imports_the_program(tmp_path, place, line):
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / place).write_text(f"import numpy as np\n{line}\n" + textwrap.dedent(TRAINS))
    (folder / "program.py").write_text(textwrap.dedent(WORDS))
    with loaded(folder / "program.py") as module:
        (report,) = tr.lines(module)
    assert report.ok and report.rows and "run.py" in report.notes[-1]


def test_a_text_that_is_not_there_is_made_up_for_the_call_too(judge):
    reads = TRAINS.replace("[0, 2, 1]", "numbers").replace("while True", "numbers = read()\n        while True", 1)
    read = "def read(): return [len(word) % 4 for word in open('missing.txt').read().split()[:3]]\n"
    (report,) = judge(WORDS, read, reads)
    assert report.ok and report.rows


def test_a_stub_is_no_reason_to_run_the_program(judge, tmp_path):
    stub = (
        LAYER.partition("        def backward")[0]
        + "        def backward(self, signal, kept, message):\n            pass\n"
    )
    with pytest.raises(ValueError, match="is not written yet"):
        judge(stub, "if __name__ == '__main__':\n    import os; os.mkdir('made')\n")
    assert not (tmp_path / "made").exists()


def test_a_call_with_arrays_that_are_too_large_is_told_to_be(judge, monkeypatch):
    monkeypatch.setattr(seen_pair, "MOST_ENTRIES", 20)
    with pytest.raises(ValueError, match=r"what it is called with in line 42 of .* has \d+ entries, too many"):
        judge(WORDS, TRAINS)


def test_of_several_classes_each_is_judged_by_its_own_call(judge):
    second = LAYER.replace("class Layer", "class Other").replace("dz @ self.W.T", "dz @ self.W")
    first, other = judge(LAYER, second, USED, USED.replace("Layer", "Other"))
    assert first.ok and not other.ok
