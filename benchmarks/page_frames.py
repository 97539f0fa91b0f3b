"""How much of a frame the pages take while one scrubs: `python benchmarks/page_frames.py`, with Chromium and Selenium.

For 60 frames a second, all that the page's main thread does for one step of a scrubber has to fit into 16.7 ms. What is
measured is that work itself, from the browser's own counters (Performance.getMetrics), and not how many frames came,
which on a machine with other work says more about the other work. Script, layout and style are parts of the task time;
the rest of it is painting and events.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from selenium import webdriver

from tinyrnn.commands.main import main as tinyrnn

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
PAGES = {  # page -> (command, what is moved and how far)
    "play, elman and lstm": ("play --steps 50 --out", "#scrubber"),
    "play, gru and urnn": ("play gru urnn --steps 50 --out", "#scrubber"),
    "play, elman and lstm, a bias": ("play --steps 50 --out", "input[data-knob][type=range]"),
    "step lstm": ("step lstm --time 50 --html", "#scrubber"),
    "step gru, 8 units": ("step gru --time 50 --hidden 8 --html", "#scrubber"),
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


def measure(driver, file, selector, count):
    """Milliseconds of the main thread for one step of a scrubber, by part; and the median gap between frames."""
    driver.get(file.as_uri())
    driver.execute_async_script(SCRUB, selector, count)  # once to warm up
    before = counters(driver)
    gaps = sorted(driver.execute_async_script(SCRUB, selector, count))
    after = counters(driver)
    return {part: (after[part] - before[part]) / count for part in PARTS} | {"gap": gaps[len(gaps) // 2]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="steps of a scrubber (default: %(default)s)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = browser(Path(folder))
        print("| page | kB | task ms | script | layout | style | gap between frames |\n|---|" + "---:|" * 6)
        for name, (command, selector) in PAGES.items():
            file = Path(folder) / "page.html"
            tinyrnn([*command.split(), str(file)])
            row = measure(driver, file, selector, count)
            numbers = " | ".join(f"{value:.2f}" for value in row.values())
            print(f"| {name} | {file.stat().st_size / 1000:.0f} | {numbers} |", flush=True)
        driver.quit()


if __name__ == "__main__":
    main()
