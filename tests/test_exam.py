"""The bank of exam questions: from a seed the same exam, keys that are right, nothing missing in what is asked."""

import math
import re
from ast import literal_eval

import numpy as np
import pytest

pytest.importorskip("latex2mathml", reason="pages with equations take latex2mathml")

from tools.lectures import exam
from tools.lectures.question import BANK, said

KINDS = [kind for kinds in BANK.values() for kind in kinds]


@pytest.mark.few(6)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_question_has_its_numbers_in_the_key_and_not_in_the_text(kind):
    for seed in range(3):
        one = kind(np.random.default_rng(seed))
        assert one.text.count("?") + one.text.count("Compute") + one.text.count("Write down") >= 1
        for name, value in one.numbers.items():
            assert np.isfinite(np.asarray(value, float)).all(), name
            assert said(value) in one.key, name
        assert "nan" not in one.text + one.key and not re.search(r"np\.|array\(", one.text + one.key)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_another_seed_is_another_question(kind):
    assert len({kind(np.random.default_rng(seed)).text for seed in range(4)}) > 1


def test_a_seed_is_an_exam_with_its_key(tmp_path):
    files = exam.write(3, [], 8, tmp_path)
    assert [path.name for path in files] == ["exam-3.md", "exam-3.html", "key-3.md", "key-3.html"]
    first, _, key, _ = (path.read_text("utf-8") for path in files)
    assert first == exam.texts(3, exam.drawn(3, [], 8))[0] != exam.texts(4, exam.drawn(4, [], 8))[0]
    assert len(re.findall(r"^\*\*\d+\.\*\* ", first, re.MULTILINE)) == 8 == key.count("lecture ")
    assert {each.lecture for each in exam.drawn(3, [5, 6], 4)} == {5, 6}
    with pytest.raises(ValueError, match="no question about these lectures"):
        exam.drawn(0, [16], 3)


def test_every_lecture_has_a_question():
    assert sorted(BANK) == list(range(16))


# By hand, a second time: what the package computes is what the formulas of the lectures give.


def test_keys_by_hand():
    lstm = next(kind for kind in BANK[6] if kind.__name__ == "lstm_step")(np.random.default_rng(0))
    v = {k: float(x) for k, x in re.findall(r"(\w+) = (-?[\d.]+\d|-?\d)", lstm.text)}
    dc = v["dc"] + v["dh"] * v["o"] * (1 - v["tanh_c"] ** 2)
    assert v["tanh_c"] == pytest.approx(math.tanh(v["f"] * v["c_prev"] + v["i"] * v["g"]), abs=0.0051)
    assert lstm.numbers["dc_prev"] == pytest.approx(dc * v["f"])
    assert lstm.numbers["da_f"] == pytest.approx(dc * v["c_prev"] * v["f"] * (1 - v["f"]))
    time = next(kind for kind in BANK[4] if kind.__name__ == "through_time")(np.random.default_rng(0))
    w = float(re.search(r"x_t \+ (-?[\d.]+) h", time.text)[1])
    h, dh = time.numbers["h"], time.numbers["dh"]
    assert dh[1] == pytest.approx(float(re.search(r"gradients \(.*?, (.*?),", time.text)[1]) + w * dh[2])
    assert time.numbers["dW_h"] == pytest.approx(h[0] * dh[1] + h[1] * dh[2])


def test_keys_of_the_mixture_and_of_the_windows_by_hand():
    mixture = BANK[13][0](np.random.default_rng(0))
    pi, mu = (np.array(literal_eval(found)) for found in re.findall(r"(?:weights|means) (\(.*?\))", mixture.text))
    sigma, z = (float(re.search(rf"{name} = (-?[\d.]*\d)", mixture.text)[1]) for name in "σz")
    joint = pi * np.exp(-((z - mu) ** 2) / (2 * sigma**2))
    r = joint / joint.sum()
    assert mixture.numbers["r"] == pytest.approx(r, abs=1e-3)  # the weights were read with three decimals
    assert mixture.numbers["dlogits"] == pytest.approx(pi - r, abs=1e-3)
    assert mixture.numbers["dmu"] == pytest.approx(-r * (z - mu) / sigma**2, abs=4e-3)
    windows = BANK[14][0](np.random.default_rng(0))
    k, most = (int(n) for n in re.findall(r"(\d+) (?:states|times)", windows.text))
    assert windows.numbers["windows"] == sum(math.comb(k - 1 + r, r) for r in range(most + 1))  # the rows of N(k, r)


def test_the_key_of_reversed_prefixes_is_what_its_matrix_says():
    one = BANK[11][0](np.random.default_rng(1))
    x = np.array(literal_eval(re.search(r"sequence, (\(.*?\))", one.text)[1]))
    prefixes = np.array([[*x[t::-1], *[0] * (2 - t)] for t in range(3)])
    assert one.numbers["last"] == pytest.approx(prefixes[-1])
    assert one.numbers["energy"] == pytest.approx((prefixes**2).sum())
    assert one.numbers["units"] == np.linalg.matrix_rank(prefixes)


def test_the_key_of_perplexity_is_the_entropy_of_the_shares():
    one = BANK[3][0](np.random.default_rng(1))
    shares = np.array(literal_eval(re.search(r"shares (\(.*?\))", one.text)[1]))
    assert one.numbers["frequencies"] == pytest.approx(-(shares * np.log(shares)).sum())
