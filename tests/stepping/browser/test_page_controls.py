"""Every control of the page of a recording, used in a real browser."""

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from pages import number
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

pytestmark = pytest.mark.slow


def stops_of(recording):
    """Where one stops, line by line: the arguments of a call are one stop."""
    events = list(recording)
    calls = [(e.function, e.t, e.layer, e.backward, e.kind) for e in events]
    return [n for n in range(len(events)) if n == 0 or events[n].kind != "given" or calls[n] != calls[n - 1]]


def test_the_arguments_of_a_call_are_one_stop_that_shows_them_all(look):
    page = look("elman")
    recording, stops = page.recording, stops_of(page.recording)
    page.click("#to-turn")
    event = recording[page.line]
    assert event.kind == "given" and page.line in stops and page["#operands"].is_displayed()
    after = stops[stops.index(page.line) + 1]
    others = [recording[n] for n in range(page.line + 1, after)]
    assert len(others) > 0 and all(other.kind == "given" for other in others)
    assert page.script("return [...document.querySelectorAll('#operands h4 code')].map(c => c.textContent)") == [
        other.name for other in others
    ]
    page.press("n")
    assert page.line == after
    page.press("p")
    assert page.line == event.number
    assert len(stops) < 0.75 * len(recording)


@pytest.mark.parametrize(("width", "height", "most"), [(390, 844, 560), (700, 450, 430)])
def test_on_a_narrow_page_the_value_is_below_its_line_and_the_player_stays(look, width, height, most):
    page = look("planted", width=width, height=height)
    page.press("w")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert page.script(top, "#array") < most and not page.shows("#jump-name")
    visible = "const r = document.querySelector('#lines li.now').getBoundingClientRect(); "
    visible += "const l = document.querySelector('#lines').getBoundingClientRect(); "
    assert page.script(visible + "return r.top >= l.top && r.bottom <= l.bottom")
    page.script("window.scrollTo(0, 400)")
    page.settle()
    assert 0 <= page.script(top, "#next") < 120
    page.press("g")
    assert page.shows("#jump-name")
    page.script("window.scrollTo(0, 0)")


def test_buttons_of_the_player_go_where_they_say(look):
    page = look("lstm")
    recording = page.recording
    last = len(recording) - 1
    stops = stops_of(recording)
    for button, line in [
        ("#next", stops[1]),
        ("#next", stops[2]),
        ("#previous", stops[1]),
        ("#step-on", recording.find(t=1)),
        ("#next", next(n for n in stops if n > recording.find(t=1))),
        ("#step-back", recording.find(t=1)),
        ("#step-back", 0),
        ("#previous", 0),
        ("#last", last),
        ("#next", last),
        ("#first", 0),
        ("#to-turn", recording.turn),
        ("#step-on", recording.find(recording.turn, t=3)),
    ]:
        page.click(button)
        assert (button, page.line) == (button, line)


def test_the_player_goes_to_the_end_and_pauses(look):
    page = look("lstm")
    Select(page["#speed"]).select_by_value("10")
    page.click("#play")
    assert page["#play"].text == "Pause"
    page.wait(lambda: page.line >= 2)
    page.click("#play")
    stopped = page.line
    assert page["#play"].text == "Play" and 0 < stopped < page.recording.turn
    Select(page["#speed"]).select_by_value("500")
    page.click("#play")
    page.wait(lambda: page["#play"].text == "Play")
    assert page.line == len(page.recording) - 1


def test_jumps(look):
    page = look("lstm")
    recording = page.recording
    page["#jump-t"].send_keys("2", Keys.ENTER)
    page.settle()
    assert page.line == recording.find(t=2)
    page.click("#to-turn")
    page.click("#go-t")
    assert page.line == recording.find(recording.turn, t=2)
    page["#jump-t"].clear()
    page["#jump-t"].send_keys("9")
    page.click("#go-t")
    assert page["#said"].text == "time steps are 0 to 4"
    page.click("#first")
    Select(page["#jump-name"]).select_by_value("tanh_c")
    page.click("#go-name")
    assert page.line == recording.find(name="tanh_c")
    page.click("#go-name")
    assert page.line == recording.find(recording.find(name="tanh_c") + 1, name="tanh_c")
    page.click("#first")
    for button, limit in [("above", 0.7), ("below", 0.001)]:
        page["#jump-threshold"].clear()
        page["#jump-threshold"].send_keys(str(limit))
        page.click(f"#go-{button}")
        assert page.line == recording.find(**{button: limit}), button
        page.click("#first")
    page["#jump-threshold"].clear()
    page.click("#go-above")
    assert page["#said"].text == "type a threshold, such as 1e-3"
    for button, said in [("#first-wrong", "no line is wrong"), ("#go-nan", "every number is finite")]:
        page.click(button)
        assert (page["#said"].text, page.line) == (said, 0)


def test_what_is_not_a_number_is_found(look):
    page = look("nan")
    page.click("#last")
    page.click("#go-nan")
    assert page.line == page.recording.find(nan=True)
    assert set(page.texts("#array")) == {"NaN"}
    assert page["#said"].text == "going on from the first line"


def test_the_first_wrong_line_of_a_planted_mistake_is_found_and_explained(look):
    page = look("planted")
    page.click("#first-wrong")
    n = page.recording.find(wrong=True)
    assert page.line == n
    assert page["#lines li.now code"].text.strip() == "da = dstate[0] * (1 - h)"
    assert "wrong" in page["#lines li.now"].get_attribute("class")
    assert page["#accused p"].text == page.recording[n].wrong
    page.click("#next-wrong")
    assert page.line == page.recording.find(n + 1, wrong=True)


def test_the_source_is_a_way_to_go(look):
    page = look("lstm")
    functions = [option.text for option in Select(page["#function"]).options]
    assert functions == [source["function"] for source in page.recording.sources]
    Select(page["#function"]).select_by_visible_text("LSTM.step_backward")
    page.settle()
    assert page.line == page.recording.turn
    button = page.driver.find_elements("css selector", "#lines li button")[3]
    line = int(button.text)
    button.click()
    page.settle()
    event = page.recording[page.line]
    assert (event.line, event.t) == (line, 4)


def test_the_graph_and_the_triangle_are_ways_to_go(look):
    page = look("lstm")
    recording = page.recording
    page.click("#to-turn")
    canvas = page["#graph-canvas"]
    x, y = 110 + 1.5 * (canvas.size["width"] - 110 - 14) / 5, 35  # the second of five columns, right of the names
    place = int(x - canvas.size["width"] / 2), int(y - canvas.size["height"] / 2)
    webdriver.ActionChains(page.driver).move_to_element_with_offset(canvas, *place).perform()
    arriving = [recording.array(k) for k in recording.step_at(0, 1)["arriving"].values()]
    said = page["#graph-readout"].text
    assert said.startswith("LSTM, t = 1:")
    assert number(said.split("arriving ")[1].split(",")[0]) == pytest.approx(np.linalg.norm(arriving), rel=1e-3)
    webdriver.ActionChains(page.driver).move_to_element_with_offset(canvas, *place).click().perform()
    page.settle()
    assert page.line == recording.find(recording.turn, t=1)
    page.script("document.getElementById('triangle-canvas').focus()")
    page.press(Keys.ARROW_DOWN)  # the last row's last cell
    page.press(Keys.ARROW_LEFT)
    said = page["#triangle-readout"].text
    assert said.replace("\n", "").startswith("‖∂L4 / ∂(h, c)3‖")
    triangle = recording.data["triangle"]
    parts = {"h": triangle["norms"][4][3], "c": triangle["others"]["c"][4][3]}
    assert number(said.split("= ")[1]) == pytest.approx(np.hypot(parts["h"], parts["c"]), rel=5e-4)  # of four digits
    for state in "hc":
        page.click(f"#triangle-parts [data-part={state}]")
        page.script("document.getElementById('triangle-canvas').focus()")
        page.press(Keys.ARROW_DOWN)
        page.press(Keys.ARROW_LEFT)
        said = page["#triangle-readout"].text.replace("\n", "")
        assert said.startswith(f"‖∂L4 / ∂{state}3‖")
        assert number(said.split("= ")[1]) == pytest.approx(parts[state], rel=5e-4)
    page.press(Keys.ENTER)
    assert page.line == recording.find(recording.turn, t=3)


def test_the_triangle_ends_where_the_window_ends_if_that_leaves_it_a_size(look):
    bottom = "return document.getElementById('triangle-canvas').getBoundingClientRect().bottom"
    page = look("lstm", width=1400, height=1300)
    top = page.script(bottom) - page["#triangle-canvas"].size["height"]
    room = page["#triangle-canvas"].size["height"]
    page = look("lstm", width=1400, height=int(top) + 120)
    assert page.script(bottom) <= int(top) + 120 and page["#triangle-canvas"].size["height"] < room
    page = look("lstm", width=1400, height=int(top) + 40)
    assert page["#triangle-canvas"].size["height"] == room


def test_all_can_be_done_with_the_keyboard(look):
    page = look("planted")
    recording = page.recording
    body = page["body"]
    for key, line in [
        ("n", 1),
        (Keys.ARROW_RIGHT, 2),
        ("p", 1),
        (Keys.ARROW_LEFT, 0),
        ("t", recording.find(t=1)),
        ("T", 0),
        ("b", recording.turn),
        ("f", 0),
        (Keys.END, len(recording) - 1),
        (Keys.HOME, 0),
        ("w", recording.find(wrong=True)),
    ]:
        body.send_keys(key)
        page.settle()
        assert (key, page.line) == (key, line)
    body.send_keys("g")
    page.press("1", Keys.ENTER)
    assert page.line == recording.find(recording.turn, t=1)
    page.press(Keys.ESCAPE)
    body.send_keys("?")
    assert page.shows("#help")
    page.press(Keys.ESCAPE)
    assert not page.shows("#help")
    body.send_keys(" ")
    page.wait(lambda: page["#play"].text == "Pause")
    body.send_keys(" ")
    assert page["#play"].text == "Play"
    body.send_keys("f", "r", "n", "n")
    page.settle()
    page.script("document.querySelector('#prediction-inputs input').focus()")
    page.press(str(recording[2].value[0, 0]), Keys.ENTER)
    assert page["#score"].text == "1 of 1 right"
    page.press(Keys.ENTER)  # the button that goes on has the focus
    assert page.line == 3


def test_the_focus_goes_through_everything_and_is_seen(look):
    page = look("lstm")
    seen = []
    for _ in range(60):
        page.press(Keys.TAB)
        name, outline = page.script(
            "const e = document.activeElement; return [e.id || e.tagName, getComputedStyle(e).outlineStyle]"
        )
        if name == "BODY":
            break
        assert outline != "none", name
        seen.append(name)
    order = ["predict", "play", "scrubber", "jump-t", "first-wrong", "function", "lines", "triangle-canvas", "TD"]
    assert [name for name in seen if name in order][: len(order)] == order


def test_an_address_leads_to_a_line_at_a_step_and_says_where_one_is(look):
    page = look("lstm")
    recording = page.recording
    wanted = recording.find(name="dc_prev", t=2)
    line = recording[wanted].line
    page.script(f"location.hash = '#t=2&line={line}'")
    page.wait(lambda: page.line == wanted)
    page.scrub(wanted - 3)
    there = recording[wanted - 3]
    page.wait(lambda: f"t={there.t}&line={there.line}" in page.script("return location.hash"))
    page.script("window.postMessage({ tinyrnn: '#t=1&back=1' }, '*')")
    page.wait(lambda: recording[page.line].t == 1 and page.line >= recording.turn)
    page.script("location.hash = '#t=99&line=1'")  # there is no such place
    page.settle()
    assert recording[page.line].t == 1
    page.driver.get(page.driver.current_url.split("#")[0] + f"#n={wanted + 1}")
    page.driver.refresh()
    page.wait(lambda: page.line == wanted)


def test_arrow_keys_walk_through_the_graph(look):
    page = look("stack")
    page.click("#to-turn")
    page.script("document.getElementById('graph-canvas').focus()")
    page.press(Keys.ARROW_LEFT)
    here = page.recording[page.line]
    page.press(Keys.ARROW_LEFT)
    before = page.recording[page.line]
    assert (before.layer, before.t) == (here.layer, here.t - 1) and page.line >= page.recording.turn
    page.press(Keys.ARROW_DOWN)
    assert page.recording[page.line].layer == before.layer - 1
    assert page["#graph-canvas"].get_attribute("aria-label").endswith("The unrolled network; arrow keys")
