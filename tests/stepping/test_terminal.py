"""The terminal view: what its keys do, what it shows at any size."""

import numpy as np
import pytest
from mistaken import recorded
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import tinyrnn as tr
from tinyrnn.stepping.places import opening, place
from tinyrnn.stepping.screen import KEYS, as_text, screen
from tinyrnn.stepping.terminal import Position, look

UP, DOWN, LEFT, RIGHT, END, HOME = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C", "\x1b[F", "\x1b[H"
PAGE_DOWN, PAGE_UP, ESCAPE, ENTER, CTRL_C = "\x1b[6~", "\x1b[5~", "\x1b", "\r", "\x03"


@pytest.fixture(scope="module")
def lstm():
    return tr.trace(tr.LSTM(2, 3, rng=0), T=3, numerical=True)


@pytest.fixture(scope="module")
def wrong():
    return recorded()


class Screen(DummyOutput):
    def get_size(self):
        return Size(rows=24, columns=80)


def pressed(recording, keys, **options):
    """The view after the keys, and q, were pressed in the application itself."""
    with create_pipe_input() as typed:
        typed.send_text(keys + "q")
        return look(recording, input=typed, output=Screen(), **options)


def shown(view, width=80, height=24):
    return as_text(screen(view, width, height))


# keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("keys", "n"),
    [
        ("", 0),
        ("nnn", 5),  # lines 1 to 3 are the arguments of one call, and one stop
        ("nnpn", 4),
        ("nnp", 1),
        (DOWN + RIGHT + " " + UP, 4),
        (DOWN + LEFT, 0),
        ("p", 0),
        (END, 116),
        (END + "n", 116),
        (END + HOME, 0),
        ("b", 45),
        ("bf", 0),
        ("t", 15),
        ("nnt", 15),
        ("ttT", 15),
        ("nT", 1),
        ("bt", 69),
        ("btT", 45),
        ("g10" + ENTER, 9),
        ("gt=2" + ENTER, 30),
        ("bgt=1 dh_prev" + ENTER, 85),
        ("gdc" + ENTER, 46),
        ("gdc" + ENTER + "GG", 70),
        ("/dh_p" + ENTER, 61),
        ("nnnz", 5),
        ("gt=2" + CTRL_C + "n", 1),
    ],
)
def test_keys_go_where_they_say(keys, n, lstm):
    assert pressed(lstm, keys).n == n


def test_an_unknown_place_is_said_and_nothing_is_moved(lstm):
    view = pressed(lstm, "nngnothing" + ENTER)
    assert view.n == 4 and view.message.startswith("no line gives 'nothing'")
    assert "no line gives 'nothing'" in shown(view).splitlines()[-1]
    assert pressed(lstm, "nng>1e9" + ENTER).message == "no line is at the place '>1e9'"
    assert pressed(lstm, "G").message.startswith("nothing has been looked for yet")


def test_an_empty_answer_moves_nothing(lstm):
    view = pressed(lstm, "nng" + ENTER)
    assert view.n == 4 and view.message == ""


def test_the_arguments_of_a_call_are_one_stop_that_names_them_all(lstm):
    names = [lstm[n].name for n in range(1, 4)]
    assert {lstm[n].kind for n in range(1, 4)} == {"given"}
    assert f"{names[0]} (2, 12)  given; with it: {names[1]}, {names[2]}" in shown(pressed(lstm, "n"))


def test_w_goes_to_the_first_wrong_line_as_on_the_page_and_shows_it(lstm, wrong):
    first = wrong.find(wrong=True)
    view = pressed(wrong, "bdw")
    assert (view.n, view.panel) == (first, "value") and "WRONG" in shown(view)
    assert pressed(wrong, "wG").n == wrong.find(first + 1, wrong=True)
    assert pressed(wrong, f"bdgwrong{ENTER}").panel == "value"
    assert pressed(lstm, "w").message == "no line is wrong"


def test_the_ends_are_said(lstm):
    assert pressed(lstm, "p").message == "this is the first line"
    assert pressed(lstm, END + "n").message == "this is the last line"
    assert pressed(lstm, "T").message == "this is the first time step there is"
    assert pressed(lstm, "g45" + ENTER + "n").message == "the backward pass begins"


def test_the_view_opens_at_a_place_or_says_that_there_is_none(lstm):
    assert pressed(lstm, "", place=place("backward t=1", lstm)).n == 69
    view = pressed(lstm, "", place=place("wrong", lstm))
    assert view.n == 0 and view.message == "no line is at the place 'wrong'"
    assert pressed(lstm, "G", place=place("dc", lstm)).n == 55
    view = pressed(lstm, "", start=opening(lstm))
    assert lstm[view.n].text == "do = dh * tanh_c" and "f: the first one" in view.message
    assert pressed(lstm, "f", start=opening(lstm)).n == 0


def test_the_view_opens_at_a_gradient_and_not_where_a_cache_is_unpacked():
    def forward(x, w):
        a = x * w
        y = np.tanh(a)
        return y, (x, w, y)

    def backward(dy, cache):
        x, w, y = cache
        da = dy * (1 - y * y)
        return da * w, (da * x).sum(axis=0)

    recording = tr.trace(forward, backward, (np.ones((2, 3)), np.ones(3)))
    assert recording[opening(recording)].name == "da"


def test_the_view_opens_at_the_first_wrong_line_if_there_is_one(wrong):
    assert wrong[opening(wrong)].text == "da = dstate[0] * (1 - h)" and wrong[opening(wrong)].t == 2


def test_going_to_the_wrong_line_goes_to_the_mistake(wrong):
    view = pressed(wrong, "gwrong" + ENTER)
    event = wrong[view.n]
    assert event.text == "da = dstate[0] * (1 - h)" and event.t == 2
    text = shown(view)
    assert "WRONG: da is not what it should be: with right values here all results are right" in " ".join(text.split())
    assert f">!{event.line:>4}      da = dstate[0] * (1 - h)" in text


def test_a_recording_without_lines_is_refused():
    recording = tr.trace(tr.Elman(2, 2, rng=0), T=2, names=["nothing"], numerical=False)
    with pytest.raises(ValueError, match="no line"):
        look(recording)


# what is shown ----------------------------------------------------------------------------------------------------


def test_a_backward_line_shows_its_place_source_value_numerical_gradient_and_what_flows(lstm):
    view = Position(lstm, lstm.find(lstm.turn, name="dh_prev", t=2))
    lines = shown(view).splitlines()
    assert lines[0] == " backward, t = 2  |  line 62 of 117"
    assert lines[1] == "lstm.py  LSTM.step_backward"
    assert f">   {lstm[view.n].line}      dh_prev = da @ p.W_h.T" in lines
    title = next(k for k, line in enumerate(lines) if line.startswith("dh_prev (2, 3)  relative error "))
    assert lines[title + 1].split() == ["dh_prev", "numerical", "gradient"]
    event = lstm[view.n]
    for k in range(2):
        numbers = [float(word) for word in lines[title + 2 + k].split() if word[0] in "+-"]
        np.testing.assert_allclose(numbers, [*event.value[k], *event.numerical[k]], rtol=0.02)
    assert "gradient arriving  |dh| 2.449  |dc| 0" in lines
    assert lines[-1] == KEYS


def test_every_line_of_every_recording_fits_any_screen(lstm, wrong):
    for recording in lstm, wrong:
        for width, height in (80, 24), (130, 50), (40, 10), (20, 5), (3, 2), (1, 1):
            for panel in "value", "weights", "gradients", "help":
                view = Position(recording)
                view.panel = panel
                for view.n in range(0, len(recording), 7 if width != 80 else 1):
                    rows = screen(view, width, height)
                    assert len(rows) == height
                    assert max(len("".join(text for _, text in row)) for row in rows) <= width


def test_at_80_by_24_the_line_its_value_and_the_accusation_are_always_to_be_seen(lstm, wrong):
    for recording in lstm, wrong:
        for event in recording:
            lines = shown(Position(recording, event.number)).splitlines()
            assert any(line.startswith((f"> {event.line:>4}", f">!{event.line:>4}")) for line in lines)
            assert any(line.startswith(f"{event.name} {event.value.shape}") for line in lines)
            assert not event.wrong or any(line.startswith("WRONG: ") for line in lines)


def test_a_larger_screen_shows_more_of_an_array():
    recording = tr.trace(tr.LSTM(2, 12, rng=0), T=2, B=20, numerical=False, triangle=False)
    view = Position(recording, recording.find(name="da"))
    counts = [shown(view, *size).count("e-") + shown(view, *size).count("0.") for size in ((80, 24), (160, 50))]
    assert counts[1] > 2.5 * counts[0]


def test_a_large_array_is_scrolled_through_to_its_last_entry():
    recording = tr.trace(tr.LSTM(2, 12, rng=0), T=2, B=20, numerical=False, triangle=False)
    start = f"g{recording.find(name='da') + 1}" + ENTER
    view = pressed(recording, start + PAGE_DOWN * 9 + ">" * 60)
    last = recording[view.n].value[-1, -1]
    assert view.n == recording.find(name="da")
    assert f"{last:+.4f}" in shown(view) or f"{last:+.2e}" in shown(view)
    back = pressed(recording, start + PAGE_DOWN * 9 + ">" * 60 + PAGE_UP * 9 + "<" * 60)
    assert (back.top, back.left) == (0, 0)


def test_weight_gradients_so_far_are_shown_on_request(lstm):
    view = pressed(lstm, "btd")
    running = lstm.array(lstm.step_at(0, 1)["running"]["W_h"])
    text = shown(view, 130, 40)
    assert "weight gradients, summed from the last step down to t = 1" in text
    assert f"{running[1, 2]:+.4f}" in text or f"{running[1, 2]:+.2e}" in text
    assert "no weight gradients here" in shown(pressed(lstm, "d"))
    assert "gradient arriving" in shown(pressed(lstm, "btdd"))  # the second d shows the value again


def test_gradients_that_arrive_and_leave_are_shown_on_request(lstm):
    view = pressed(lstm, "bta")
    text = shown(view)
    for name, index in lstm.step_at(0, 1)["leaving"].items():
        assert f"d{name}_prev (2, 3)" in text
        assert f"{lstm.array(index)[0, 0]:+.4f}" in text
    assert "no gradients arrive here" in shown(pressed(lstm, "a"))


def test_how_far_one_is_stays_to_be_seen_where_the_layer_has_a_long_name():
    network = tr.Stack(tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.GRU(2, 3, rng=1)), tr.LSTM(6, 4, rng=2))
    recording = tr.trace(network, T=3, mask=np.array([[1, 1], [1, 0], [1, 0]], bool), numerical=False)
    for event in recording:
        first = shown(Position(recording, event.number)).splitlines()[0]
        assert first.endswith(f"  |  line {event.number + 1} of {len(recording)}") and len(first) <= 80


def test_help_fits_the_smallest_screen_and_names_every_key(lstm):
    view = pressed(lstm, "?")
    text = shown(view)
    assert "…" not in text.split("\n\n")[0] + text.split("\n\n")[1] and "Places, for g and --until" in text
    for key in "n p t T f b g G / w a ? q".split():
        assert f"\n{key}" in text.replace(" ", "\n") or f"\n{key} " in text or f"{key}," in text
    assert view.n == pressed(lstm, "?" + ESCAPE).n == 0


def test_the_keys_at_the_bottom_keep_help_and_quit_on_a_small_screen(lstm):
    assert shown(Position(lstm), 40, 10).splitlines()[-1].endswith("? help  q quit")


def test_a_value_too_large_to_be_kept_is_said_to_be():
    recording = tr.trace(tr.Elman(2, 3, rng=0), T=1, largest=4)
    view = Position(recording, recording.find(name="h"))
    assert "h (2, 3)" in shown(view) and "too large to be kept" in shown(view)
