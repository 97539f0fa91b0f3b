"""How large the pages are, when something is seen of them, and what a step of a scrubber takes of a frame.

`python benchmarks/page_frames.py`, with Chromium and Selenium. The first view is the first contentful paint of a page
that is opened from a file, by the browser, the slowest of five.

For 60 frames a second, all that the page's main thread does for one step of a scrubber has to fit into 16.7 ms. What is
measured is that work itself, from the browser's own counters (Performance.getMetrics), and not how many frames came,
which on a machine with other work says more about the other work. Script, layout and style are parts of the task time;
the rest of it is painting and events.
"""

import argparse
import contextlib
import io
import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tinyrnn.commands.main import main as tinyrnn

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
WRONG = Path(__file__).parents[1] / "lectures" / "wrong_lstm.py"
PAGES = {  # page -> (command, what is moved, if anything)
    "play, elman and lstm": ("play --steps 50 --out", "#scrubber"),
    "play, gru and urnn": ("play gru urnn --steps 50 --out", "#scrubber"),
    "play, elman and lstm, a bias": ("play --steps 50 --out", "input[data-knob][type=range]"),
    "step lstm": ("step lstm --time 50 --html", "#scrubber"),
    "step gru, 8 units": ("step gru --time 50 --hidden 8 --html", "#scrubber"),
    "step wrong_lstm.py": (f"step {WRONG} --html", "#scrubber"),
    "lines wrong_lstm.py": (f"lines {WRONG} --html", None),
    "play --asked": ("play --asked --out", None),
    "play --bugs": ("play --bugs --out", None),
    "gallery, its index": ("gallery --no-games", None),
}
PARTS = {"task": "TaskDuration", "script": "ScriptDuration", "layout": "LayoutDuration", "style": "RecalcStyleDuration"}
SCRUB = """
const [selector, count, done] = arguments;
const range = [...document.querySelectorAll(selector)].at(-1), low = Number(range.min), high = Number(range.max);
let k = 0, last = null;
const gaps = [];
const frame = (now) => {
  if (last !== null) gaps.push(now - last);
  last = now;
  if (k === count) return done(gaps);
  range.value = high - (high - low) * (k++ / (count - 1));
  range.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""

FIRST = 'return performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null'


def browser(folder):
    """A headless Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    for argument in (*FLAGS, f"--user-data-dir={folder / 'chromium'}"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(100)
    size = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})  # the thread's own time
    return driver


def counters(driver):
    """What the main thread has spent so far, in milliseconds."""
    found = {entry["name"]: entry["value"] for entry in driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    return {part: 1000 * found[name] for part, name in PARTS.items()}


def first_view(driver, file, count=5):
    """Milliseconds until something of the page is seen, the slowest of some times that it is opened."""
    times = []
    for _ in range(count):
        driver.get("about:blank")
        driver.get(file.as_uri())
        times.append(WebDriverWait(driver, 10).until(lambda found: found.execute_script(FIRST)))
    return max(times)


def measure(driver, file, selector, count):
    """Milliseconds of the main thread for one step of a scrubber, by part; and the median gap between frames."""
    driver.get(file.as_uri())
    driver.execute_async_script(SCRUB, selector, count)  # once to warm up
    before = counters(driver)
    gaps = sorted(driver.execute_async_script(SCRUB, selector, count))
    after = counters(driver)
    return {part: (after[part] - before[part]) / count for part in PARTS} | {"gap": gaps[len(gaps) // 2]}


def written(command, folder):
    """The page that a command writes; what it says on the way is not of interest."""
    file = folder / "page.html"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        tinyrnn([*command.split(), str(folder if command.startswith("gallery") else file)])
    return folder / "index.html" if command.startswith("gallery") else file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="steps of a scrubber (default: %(default)s)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = browser(Path(folder))
        columns = ["kB", "first view ms", "task ms", "script", "layout", "style", "gap between frames"]
        print(f"| page | {' | '.join(columns)} |\n|---|" + "---:|" * len(columns))
        for name, (command, selector) in PAGES.items():
            file = written(command, Path(folder))
            row = [f"{file.stat().st_size / 1000:.0f}", f"{first_view(driver, file):.0f}"]
            moved = measure(driver, file, selector, count).values() if selector else ()
            row += [f"{value:.2f}" for value in moved] or [""] * 5
            print(f"| {name} | {' | '.join(row)} |", flush=True)
        driver.quit()


if __name__ == "__main__":
    main()
