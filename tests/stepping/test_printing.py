"""A recording as text: numbers that line up and keep their signs, places that can be named, and the transcript."""

import inspect
import re

import numpy as np
import pytest
from mistaken import recorded
from planted import elman_backward, elman_step, student

import tinyrnn as tr
from tinyrnn.checking.probe import ragged_mask
from tinyrnn.stepping import printing
from tinyrnn.stepping.places import like, next_step, place, search
from tinyrnn.stepping.printing import joined, table, transcript, written


@pytest.fixture(scope="module")
def lstm():
    return tr.trace(tr.LSTM(2, 3, rng=0), T=3, numerical=True)


@pytest.fixture(scope="module")
def wrong():
    return recorded()


@pytest.fixture(scope="module")
def layers():
    network = tr.Stack(tr.GRU(2, 3, rng=0), tr.Bidirectional(tr.Elman(3, 2, rng=1), tr.Elman(3, 2, rng=2)))
    return tr.trace(network, T=3, mask=ragged_mask(np, 3, 2))


# numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ([0.5, -0.25, 0.0], ["+0.5000", "-0.2500", "0"]),
        ([1.0, -2.0, 0.0], ["+1", "-2", "0"]),
        ([12.5, -1.0], ["+12.500", "-1.000"]),
        ([1234.5, 1.0], ["+1234.5", "+1.0"]),
        ([0.5, 1e-5, -1e-12], ["+0.5000", "+1.00e-05", "-1.00e-12"]),
        ([123456.5, 1.0], ["+1.23e+05", "+1.00e+00"]),
        ([1e-300, -1e-300], ["+1.00e-300", "-1.00e-300"]),
        ([np.nan, np.inf, -np.inf, 0.5], ["nan", "+inf", "-inf", "+0.5000"]),
        ([-0.0], ["0"]),
        ([1 + 2.5j, -0.5j], ["+1+2.5000i", "0-0.5000i"]),
    ],
)
def test_numbers_keep_their_signs_and_enough_digits(numbers, texts):
    assert written(np.array(numbers)).tolist() == texts


def test_every_number_of_an_array_is_read_back_to_two_digits():
    rng = np.random.default_rng(0)
    for scale in range(-12, 13):
        array = rng.normal(size=50) * 10.0 ** rng.uniform(-3, 3, 50) * 10.0**scale
        read = np.array([float(text) for text in written(array)])
        np.testing.assert_allclose(read, array, rtol=0.05)
        assert (np.sign(read) == np.sign(array)).all()


def test_columns_line_up_and_rows_carry_their_index():
    rows = [joined(row) for row in table(np.array([[0.5, -12.25], [100.0, 3e-5]]), 80)]
    assert rows == ["[0]      +0.50     -12.25", "[1]    +100.00  +3.00e-05"]
    rows = [joined(row) for row in table(np.arange(1.0, 9.0).reshape(2, 2, 2), 80)]
    assert rows == ["[0,0]  +1  +2", "[0,1]  +3  +4", "[1,0]  +5  +6", "[1,1]  +7  +8"]
    assert [joined(row) for row in table(np.array([1.0, -2.0]), 80)] == ["  +1  -2"]
    assert [joined(row) for row in table(np.array(0.5), 80)] == ["  +0.5000"]
    assert [joined(row) for row in table(np.zeros((0, 3)), 80)] == ["(no entries)"]


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("rows", [3, 6])
@pytest.mark.parametrize(("top", "left"), [(0, 0), (7, 5), (99, 99)])
def test_a_large_array_is_cut_to_the_room_and_says_what_is_shown(width, rows, top, left):
    array = 1000.0 + np.arange(20 * 30).reshape(20, 30)
    shown = [joined(row) for row in table(array, width, rows, top, left)]
    assert len(shown) == rows and max(map(len, shown)) <= width
    spans = [tuple(map(int, span.split("-"))) for span in re.findall(r"\d+-\d+", shown[-1])]
    first, last = spans[0]
    assert last - first + 1 == rows - 1 and first == min(top, 20 - (rows - 1))
    if width >= 40:  # below, there is not even room to say which columns
        left, right = spans[1]
        for text, row in zip(shown[:-1], array[first : last + 1], strict=True):
            assert [float(word) for word in text.split() if word[0] == "+"] == row[left : right + 1].tolist()


def test_styles_say_sign_and_size_without_being_needed_for_either():
    styles = printing.styles(np.array([1.0, -0.9, 0.1, -0.001, 0.0, np.nan, -np.inf]))
    assert styles.tolist() == [
        "plus large", "minus large", "plus", "minus small", "number small", "number large", "minus large",
    ]  # fmt: skip


def test_norms_of_what_explodes_are_finite():
    assert printing.norm(np.array([3e200, 4e200])) == "5e+200"
    assert printing.norm(np.zeros(3)) == "0" and printing.norm(np.array([np.nan])) == "nan"


# places -----------------------------------------------------------------------------------------------------------


def line_of(text):
    """The number of the line of the LSTM's file that begins with this text."""
    lines = inspect.getsource(inspect.getmodule(tr.LSTM)).splitlines()
    [number] = [k for k, line in enumerate(lines, 1) if line.strip().startswith(text)]
    return number


def found(recording, text, after=-1):
    n = search(recording, place(text, recording), after)
    return None if n is None else recording[n]


def test_a_place_is_the_first_line_of_which_all_words_hold(lstm):
    assert (found(lstm, "t=1").t, found(lstm, "t=1").backward) == (1, False)
    event = found(lstm, "backward t=1 dh_prev")
    assert (event.name, event.t, event.backward) == ("dh_prev", 1, True)
    assert found(lstm, "backward").number == lstm.turn
    assert found(lstm, f"name=da line={line_of('da = ')}").line == line_of("da = ")
    assert found(lstm, "7").number == 6
    assert found(lstm, "wrong") is None and found(lstm, "nan") is None


@pytest.mark.parametrize(("above", "below"), [(">0.5", "<1e-3"), ("above=0.5", "below=1e-3")])
def test_thresholds_find_the_first_gradient_beyond_them(above, below, lstm):
    made = [e for e in lstm if e.backward and e.kind != "given"]
    assert found(lstm, above).number == next(e.number for e in made if abs(e.value).max() > 0.5)
    small = [e.number for e in made if abs(e.value).max() < 1e-3]
    assert small and found(lstm, below).number == small[0]


def test_the_search_stays_in_the_pass_before_it_goes_to_the_other(lstm):
    here = found(lstm, "backward t=0").number
    assert found(lstm, "t=2", here).number == lstm.turn  # not that of the forward pass
    assert found(lstm, "t=2", 0).backward is False
    last = [e.number for e in lstm if e.name == "tanh_c" and not e.backward][-1]
    assert found(lstm, "tanh_c forward", last).number == found(lstm, "tanh_c").number
    assert found(lstm, "do", 0).backward


def test_going_on_finds_every_such_line_and_comes_back_to_the_first(lstm):
    wanted = [e.number for e in lstm if e.name == "dc"]
    seen, n = [], wanted[0]
    for _ in wanted:
        seen.append(n)
        n = search(lstm, place("dc", lstm), n)
    assert seen == wanted and n == wanted[0]


def test_a_layer_is_a_place(layers):
    assert found(layers, "layer=2").layer == 2
    assert found(layers, "layer=1 backward h_prev") is None or found(layers, "layer=1 backward h_prev").layer == 1


def test_a_name_is_searched_by_a_part_of_it(lstm):
    assert like("dh_prev", lstm).names == {"dh_prev"}
    assert like("PREV", lstm).names == {"h_prev", "c_prev", "dh_prev", "dc_prev"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty place"),
        ("  ", "an empty place"),
        ("t=9", "t=9: time steps are 0 to 2"),
        ("t=-1", "t=-1: time steps are 0 to 2"),
        ("t=x", "'x' is no number"),
        (">much", "'much' is no number"),
        ("layer=1", "layers are 0 to 0"),
        ("0", "has lines 1 to 117"),
        ("dh_prv", "no line gives 'dh_prv'; close to it: dh_prev"),
        ("da dh", "only one names"),
        ("t=1 t=2", "only one t"),
        ("[", "no line gives"),
    ],
)
def test_a_place_that_no_line_can_be_is_refused_in_one_line(text, message, lstm):
    with pytest.raises(ValueError, match=message) as caught:
        place(text, lstm)
    assert "\n" not in str(caught.value)


def test_steps_are_followed_in_the_order_of_the_run_and_back_again(lstm, layers):
    for recording in lstm, layers:
        forth = [0]
        while (n := next_step(recording, forth[-1])) != forth[-1]:
            forth.append(n)
        back = [forth[-1]]
        while (n := next_step(recording, back[-1], -1)) != back[-1]:
            back.append(n)
        assert forth == back[::-1]
        steps = [(e.backward, e.layer, e.t) for e in recording]
        assert forth == [n for n in range(len(steps)) if n == 0 or steps[n] != steps[n - 1]]


# the transcript ---------------------------------------------------------------------------------------------------


def test_the_transcript_shows_every_line_once_with_its_source(lstm):
    lines = list(transcript(lstm))
    assert lines[0] == "LSTM(2 -> 3, float64)"
    assert "3 time steps, 2 sequences, 117 lines" in lines[1]
    headings = [line.split(";")[0] for line in lines if line.startswith(("forward", "backward"))]
    assert headings == [f"forward, t = {t}" for t in (0, 1, 2)] + [f"backward, t = {t}" for t in (2, 1, 0)]
    assert lines.count(f"  lstm.py:{line_of('df = dc * c_prev')}  df = dc * c_prev") == 3
    shown = sum(line.startswith("    ") and line[4].isalpha() and "(" in line for line in lines)
    known = sum(line.count(",") + 1 for line in lines if line.startswith("    from the forward pass: "))
    assert shown + known == len(lstm)
    assert max(map(len, lines)) <= printing.WIDTH


def test_the_gradients_that_are_returned_stand_at_the_end_of_a_whole_transcript_only(lstm):
    assert "the gradients that the backward pass returned" in transcript(lstm)
    assert "the gradients that the backward pass returned" not in transcript(lstm, 3)


def test_a_transcript_stops_after_the_line_that_is_asked_for(lstm):
    n = search(lstm, place("backward df", lstm))
    lines = list(transcript(lstm, n))
    assert lines[-3].startswith("    df (2, 3)")
    assert lines[:-3] == list(transcript(lstm))[: len(lines) - 3]


def test_the_sizes_of_gradients_that_arrive_and_leave_stand_at_every_step(lstm):
    heading = next(line for line in transcript(lstm) if line.startswith("backward, t = 1"))
    arriving = np.linalg.norm(lstm.array(lstm.step_at(0, 1)["arriving"]["h"]))
    leaving = np.linalg.norm(lstm.array(lstm.step_at(0, 1)["leaving"]["c"]))
    assert f"arriving |dh| {arriving:.4g}" in heading and f"|dc_prev| {leaving:.4g}" in heading


def test_a_wrong_line_shows_what_is_right_and_why_it_is_accused(wrong):
    text = "\n".join(transcript(wrong))
    assert text.count("WRONG: ") == 3
    after = text.split("da = dstate[0] * (1 - h)")[1]
    assert "WRONG: da is not what it should be: with right values here all results are right" in after.splitlines()[4]
    dh = wrong[wrong.find(wrong.turn, t=2)]
    assert dh.wrong is None


def test_a_line_that_is_off_by_what_came_in_says_so_and_shows_both(wrong):
    lines = list(transcript(wrong))
    k = next(k for k, line in enumerate(lines) if line.startswith("    dW_h (3, 3)  numerical gradient: "))
    assert lines[k].endswith(", from what came in")
    assert lines[k + 1].split() == ["dW_h", "numerical", "gradient"]
    numbers = [float(word) for word in lines[k + 2].split() if word[0] in "+-"]
    event = wrong[wrong.find(name="dW_h")]
    np.testing.assert_allclose(numbers, [*event.value[0], *event.numerical[0]], rtol=1e-2)


def test_layers_the_mask_and_the_direction_are_named(layers):
    text = "\n".join(transcript(layers))
    assert "forward, t = 0, layer 0: parts.0 GRU" in text or "forward, t = 0, layer 0: 0 GRU" in text
    assert "reads from the end" in text and ": mask " in text


def test_what_a_terminal_would_obey_is_not_printed():
    assert printing.printable("a\x1b[2Jb\tc") == "a?[2Jb  c"


def test_elman_backward_is_right_and_not_accused():
    recording = tr.trace(student(elman_step, elman_backward), T=2, numerical=True)
    assert "WRONG" not in "\n".join(transcript(recording))
