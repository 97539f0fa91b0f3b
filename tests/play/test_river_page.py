"""The page of the two rivers: what it computes is what Python computes, and it is one small file by itself."""

import json
import re

import numpy as np
import pytest
from scripts import needs_node, without_browser

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.play import rivers
from tinyrnn.play.network import drafts, start
from tinyrnn.play.valves import Valve, valves

ASK = """
world.loss = 26; world.truncate = given.truncate; world.x[6] = -0.9;
Object.assign(world.bottom, given.setting); Object.assign(world.bottom.bias, given.bias);
const { widths, tape } = compute(world.bottom);
const lists = (arrays) => Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, Array.from(array)]));
console.log(JSON.stringify({ widths, states: tape.states.map(lists) }));
"""


def computed(page, **given):
    """What the script of the page computes for its lower network."""
    return without_browser(page, "// The pictures:", f"const given = {json.dumps(given)};\n{ASK}")


@pytest.mark.few(2)
@needs_node
@pytest.mark.parametrize("name", rivers.OFFERED)
def test_after_the_sliders_were_moved_the_pages_numbers_are_pythons(name):
    page = rivers.rivers_page((name, name), (), steps=30, hidden=6)
    cell, _, named, recurrent = rivers.begun(name, 6, 0)
    bias = {gate: 0.5 - k for k, gate in enumerate(named)}
    answer = computed(page, setting={"scale": 0.7}, bias=bias, truncate=9)
    for gate, b in bias.items():
        rivers.block(cell, gate)[:] = b
    for weight in recurrent:
        cell.params[weight] = 0.7 * cell.params[weight]
    agree(answer, cell, truncate=9)


@pytest.mark.few(1)
@needs_node
@pytest.mark.parametrize("name", rivers.OFFERED)
def test_after_switches_were_thrown_the_pages_numbers_are_those_of_the_equations(name):
    page = rivers.rivers_page((name, name), (), steps=30, hidden=6)
    begins, other = rivers.tanh_switch(rivers.made(name, 6, 0))
    assert (begins is None) == (other is None) == (name == "urnn")  # which has no tanh
    switches = [(begins, True)] if other is None else [(not begins, False), (begins, True), (not begins, True)]
    for linear, clip in switches:
        answer = computed(page, setting={"scale": 0.9, "linear": linear, "clip": clip}, bias={}, truncate=0)
        agree_with_equations(answer, name, linear, clip)


class Straight:
    """NumPy with a tanh that is the identity."""

    tanh = staticmethod(lambda z: z)

    def __getattr__(self, name):
        return getattr(np, name)


def agree_with_equations(answer, name, linear, clip):
    """The states of a run by the cell's equations as printed, and the norms of their gradients, by differences."""
    cell, _, _, recurrent = rivers.begun(name, 6, 0)
    for weight in recurrent:
        cell.params[weight] = 0.9 * cell.params[weight]
    has_choice = hasattr(cell, "activation")
    if has_choice:
        cell.activation = "identity" if linear else "tanh"
    lib = Straight() if linear and not has_choice else np
    x = np.array(rivers.sequence(30, 0))
    x[6] = -0.9

    def step(states, t):
        h, *rest = cell.equations(lib, cell.params, np.full((len(states[0]), 1), x[t]), *states)
        norm = np.linalg.norm(h, axis=-1, keepdims=True)
        return (np.where(clip and norm > rivers.CLIP, h * rivers.CLIP / norm, h), *rest)

    states = [start(cell)]
    for t in range(30):
        states.append(step(states[-1], t))
    for k, state in enumerate(cell.states):
        run = [s[k][0] for s in states]
        np.testing.assert_allclose([s[state] for s in answer["states"]], run, rtol=1e-6, atol=1e-9)
        norms, n = np.zeros(30), cell.state_sizes[k]
        for t in range(26):
            nudged = [np.repeat(part, 4 * n, axis=0) for part in states[t + 1]]
            nudge = 1e-5 * max(1, abs(nudged[k]).max())  # of a large state less would be lost in rounding
            nudged[k] = nudged[k] + nudge * np.concatenate([way * np.eye(n) for way in (1, -1, 2, -2)])
            for later in range(t + 1, 26):
                nudged = step(nudged, later)
            up, down, up_2, down_2 = (nudged[0] @ rivers.direction(cell, 0)).reshape(4, n)
            norms[t] = np.linalg.norm(8 * (up - down) - (up_2 - down_2)) / (12 * nudge)
        np.testing.assert_allclose([w[state] for w in answer["widths"]], norms, rtol=1e-6, atol=1e-8)


def agree(answer, cell, truncate):
    """The states, and the norms of their gradients, of a run in Python with what `ASK` sets."""
    x = np.array(rivers.sequence(30, 0))[:, None, None]
    x[6] = -0.9
    _, tape = cell.forward(x)
    u = np.random.default_rng(1).normal(size=cell.output_size)
    dh = np.zeros((30, 1, cell.output_size))
    dh[25, 0] = u / np.linalg.norm(u)
    states = cell.backward(dh, tape, truncate=truncate, record=True).states
    for state in cell.states:
        np.testing.assert_allclose([s[state] for s in answer["states"]], tape.states[state][:, 0], rtol=1e-6, atol=1e-9)
        norms = np.linalg.norm(states[state][:, 0], axis=1)
        np.testing.assert_allclose([w[state] for w in answer["widths"]], norms, rtol=1e-6, atol=1e-12)


VALVES = {
    "elman": [],
    "lstm": [Valve("o", "c", "h", False), Valve("f", "c", "c", True)],
    "lstm-peephole": [Valve("o", "c", "h", False), Valve("f", "c", "c", True)],
    "gru": [Valve("z", "h", "h", True)],
    "gru-cho": [Valve("z", "h", "h", True)],
    "qrnn": [Valve("o", "c", "h", False), Valve("f", "c", "c", True)],
    "lmn": [],
    "urnn": [],
}


@pytest.mark.parametrize("name", VALVES)
def test_valves_are_read_off_the_trace_of_a_step(name):
    cell = rivers.made(name, 4, 0)
    assert valves(drafts(cell)["forward"], cell.states) == VALVES[name]


def test_what_is_no_sigmoid_or_multiplies_no_state_is_no_valve():
    class Odd(tr.LSTM):
        def step(self, p, a, h_prev, c_prev):
            from tinyrnn.core.ops import sigmoid, split, tanh

            a_i, a_f, a_o, a_g = split(a + h_prev @ p.W_h, 4)
            i, f, o, g = sigmoid(a_i), tanh(a_f), sigmoid(a_o), tanh(a_g)  # f may be negative: nothing that opens
            c = f * c_prev + i * g
            tanh_c = tanh(c)
            return (o + tanh_c, c), {"i": i, "f": f, "o": o, "g": g, "tanh_c": tanh_c}

    cell = Odd(1, 3, rng=0)
    assert valves(drafts(cell)["forward"], cell.states) == []


def test_the_page_is_one_file_of_less_than_500_kB_that_fetches_nothing(tmp_path, capsys):
    out = tmp_path / "play.html"
    assert main(["play", "--steps", "200", "--hidden", "32", "--out", str(out)]) == 0  # the largest
    assert capsys.readouterr().out == f"page: {out}\n"
    text = out.read_text(encoding="utf-8")
    assert len(text.encode()) < 500_000
    assert "default-src 'none'" in text and not re.search(r"(src|href)=|@import|url\((?!#)|fetch\(", text)
    assert "[[" not in re.sub(r"<script.*</script>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["elman", "nothing"], "unknown cell 'nothing'"),
        (["--steps", "3"], "--steps must be 5 to 200"),
        (["--hidden", "1000"], "--hidden must be 2 to 32"),
        (["--out", "no/such/folder/play.html"], "there is no folder"),
    ],
)
def test_a_mistake_is_one_line(arguments, said, capsys):
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
