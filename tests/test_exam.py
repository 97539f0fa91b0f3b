"""The bank of exam questions: from a seed the same exam, keys that are right, nothing missing in what is asked."""

import re

import numpy as np
import pytest

pytest.importorskip("latex2mathml", reason="pages with equations take latex2mathml")

from tools.lectures import exam
from tools.lectures.bank import BANK, said

KINDS = [kind for kinds in BANK.values() for kind in kinds]


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
        exam.drawn(0, [14], 3)


# By hand, a second time: what the package computes is what the formulas of the lectures give.


def test_keys_by_hand():
    lstm = next(kind for kind in BANK[6] if kind.__name__ == "lstm_step")(np.random.default_rng(0))
    v = {k: float(x) for k, x in re.findall(r"(\w+) = (-?[\d.]+\d|-?\d)", lstm.text)}
    dc = v["dc"] + v["dh"] * v["o"] * (1 - v["tanh_c"] ** 2)
    assert lstm.numbers["dc_prev"] == pytest.approx(dc * v["f"])
    assert lstm.numbers["da_f"] == pytest.approx(dc * v["c_prev"] * v["f"] * (1 - v["f"]))
    time = next(kind for kind in BANK[4] if kind.__name__ == "through_time")(np.random.default_rng(0))
    w = float(re.search(r"x_t \+ (-?[\d.]+) h", time.text)[1])
    h, dh = time.numbers["h"], time.numbers["dh"]
    assert dh[1] == pytest.approx(float(re.search(r"gradients \(.*?, (.*?),", time.text)[1]) + w * dh[2])
    assert time.numbers["dW_h"] == pytest.approx(h[0] * dh[1] + h[1] * dh[2])
