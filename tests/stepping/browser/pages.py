"""Recordings to be shown in a browser, and a page of one as a test uses it."""

import json
from pathlib import Path

import numpy as np
from selenium.webdriver.support.ui import WebDriverWait

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.stepping.page import write_page


def planted():
    """Elman's step with 1 - h where 1 - h² belongs."""

    def step(params, x, state):
        (h_prev,) = state
        h = np.tanh(x @ params["W"] + h_prev @ params["U"])
        return (h,), (x, h_prev, h)

    def step_backward(params, cache, dstate):
        x, h_prev, h = cache
        da = dstate[0] * (1 - h)
        return da @ params["W"].T, (da @ params["U"].T,), {"W": x.T @ da, "U": h_prev.T @ da}

    rng = np.random.default_rng(0)
    weights = {"W": rng.normal(size=(2, 3)), "U": rng.normal(size=(3, 3)) / 2}
    return tr.StepCell(step, step_backward, params=weights, input_size=2, state_sizes=3)


def functions():
    """Two functions with a loop over time; the sum over the batch is missing from one line."""

    def forward(x, w):
        h = np.zeros((x.shape[1], 2))
        for t in range(len(x)):
            a = x[t] * w + h
            h = np.tanh(a)
        return h, (x, h)

    def backward(dh, cache):
        x, h = cache
        da = dh * (1 - h * h)
        dw = (da * x[-1]).mean(axis=0)
        return {"w": dw}

    return forward, backward, (np.random.default_rng(0).normal(size=(1, 3, 2)), np.array([0.5, -1.0]))


def model():
    return tr.Model(tr.Stack(tr.LSTM(2, 4, rng=0)), tr.Readout(4, 5, rng=1), loss="cross_entropy", at="every")


RECORDINGS = {
    "elman": lambda: tr.trace(tr.Elman(2, 3, rng=0), T=3, B=2),
    "lstm": lambda: tr.trace(tr.LSTM(2, 3, rng=0), T=5, B=2),
    "stack": lambda: tr.trace(tr.Stack(tr.GRU(2, 3, rng=0), tr.LSTM(3, 4, rng=1)), T=3, B=2),
    "both": lambda: tr.trace(tr.Bidirectional(tr.Elman(2, 3, rng=0), tr.Elman(2, 3, rng=1)), T=3, B=2),
    "urnn": lambda: tr.trace(tr.UnitaryRNN(2, 4, rng=0), T=2, B=2),
    "planted": lambda: tr.trace(planted(), T=4, B=2),
    "lecture": lambda: lecture(),
    "functions": lambda: tr.trace(*functions()),
    "mask": lambda: tr.trace(tr.GRU(2, 3, rng=0), T=3, B=2, mask=np.array([[1, 1], [1, 0], [1, 0]], bool)),
    "model": lambda: tr.trace(model(), T=3, B=2),
    "nan": lambda: tr.trace(tr.Elman(2, 3, rng=0), np.full((2, 1, 2), np.nan), numerical=False, triangle=False),
    "odd": lambda: odd_arrays(),
    "empty": lambda: tr.trace(tr.Elman(2, 3, rng=0), T=2, names=["nothing"]),
    "wide": lambda: tr.trace(tr.LSTM(2, 8, rng=0), T=40, B=2, numerical=[39]),
}


def odd_arrays():
    """A recording with arrays of every form in the place of those of its first lines."""
    recording = tr.trace(tr.Elman(2, 3, rng=0), T=2, B=2)
    data = json.loads(json.dumps(recording.to_json()))
    arrays = [
        [[], [2.5]],
        [[2], [1, -2]],
        [[0], []],
        [[2, 2], [1, 2, 3, 4], [0, -1, -2, 5e-7]],
        [[100, 100], None],
        [[2, 2, 2], [1, -1, 0, 1e-9, "nan", "inf", "-inf", 3]],
        [[3, 40], list(range(-60, 60))],
    ]
    data["arrays"] += arrays
    data["events"]["value"][: len(arrays)] = range(len(data["arrays"]) - len(arrays), len(data["arrays"]))
    return tr.Recording.from_json(data)


def lecture():
    with loaded(Path(__file__).parents[3] / "lectures" / "wrong_lstm.py") as module:
        return tr.trace(module.lstm_step)


KEPT = {}  # the recordings that have been made


class Page:
    def __init__(self, driver, folder, name, width=1280, height=850, dark=False):
        self.driver = driver
        if name not in KEPT:
            KEPT[name] = RECORDINGS[name]()
            write_page(KEPT[name], folder / f"{name}.html")
        self.recording = KEPT[name]
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        driver.get((folder / f"{name}.html").as_uri())
        if len(self.recording):
            self.wait(lambda: self.line is not None)
        else:
            self.wait(lambda: self["#empty"].is_displayed())

    def wait(self, condition):
        WebDriverWait(self.driver, 10, poll_frequency=0.02).until(lambda _: condition())

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def __getitem__(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def settle(self):
        """Wait until all that was asked for has been drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    @property
    def line(self):
        text = self.script("return document.documentElement.dataset.line")
        return None if text is None else int(text)

    def click(self, selector):
        self[selector].click()
        self.settle()

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)
        self.settle()

    def scrub(self, n):
        moved = "const r = document.getElementById('scrubber'); r.value = arguments[0]; "
        self.script(moved + "r.dispatchEvent(new Event('input'))", n)
        self.settle()
        assert self.line == n

    def texts(self, selector):
        """The texts of all numbers under a selector, with the tables of pictures unfolded."""
        self.script("document.querySelectorAll(arguments[0] + ' details').forEach(d => { d.open = true })", selector)
        self.settle()
        cells = "[...document.querySelectorAll(arguments[0] + ' td')].filter(c => c.entry !== undefined)"
        return self.script(f"return {cells}.map(c => c.textContent)", selector)

    def numbers(self, selector):
        return np.array([number(text) for text in self.texts(selector)])

    def shows(self, selector):
        return self[selector].is_displayed()


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def close(found, array):
    """Whether numbers shown with four digits (two after an exponent) are those of an array."""
    return found.shape == (array.size,) and np.allclose(found, array.ravel(), rtol=6e-3, atol=0, equal_nan=True)
