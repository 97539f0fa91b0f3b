// The scrubber over all lines in the order in which they ran, forwards and then backwards, and the player.

const timeline = {
  range: document.getElementById("scrubber"),
  canvas: document.getElementById("scrubber-marks"),
  play: document.getElementById("play"),
  speed: document.getElementById("speed"),
  timer: null,
};
const THUMB = 16; // pixels; the range's thumb in the style sheet

function prepareTimeline() {
  const { range } = timeline;
  range.max = count - 1;
  range.addEventListener("input", () => go(Number(range.value)));
  timeline.play.addEventListener("click", togglePlay);
  timeline.speed.addEventListener("change", () => timeline.timer && (stop(), play()));
  const buttons = { first: goFirst, previous: goPrevious, next: goNext, last: goLast, "to-turn": goTurn };
  for (const [id, act] of Object.entries(buttons)) document.getElementById(id).addEventListener("click", act);
  document.getElementById("step-back").addEventListener("click", goPreviousStep);
  document.getElementById("step-on").addEventListener("click", goNextStep);
  document.getElementById("to-turn").hidden = turn === 0 || turn === count;
}

const goFirst = () => go(0);
const goLast = () => go(count - 1);
const goNext = () => go(afterStop(current.n));
const goPrevious = () => go(stopOf(Math.max(0, stopOf(current.n) - 1)));
const goTurn = () => go(turn);
const goNextStep = () => go(starts[stretchOf(current.n) + 1] ?? count - 1);

function goPreviousStep() {
  const here = stretchOf(current.n);
  go(current.n > starts[here] ? starts[here] : starts[here - 1] ?? 0);
}

// The marks under the scrubber: where each time step begins, the turn, and lines that are accused.
function paintTimeline() {
  const width = timeline.canvas.parentElement.clientWidth, height = 26;
  const pixels = scaled(timeline.canvas, width, height);
  const x = (n) => THUMB / 2 + ((width - THUMB) * n) / Math.max(1, count - 1);
  for (const [from, to, colour] of [[0, turn, palette.forward], [turn, count, palette.backward]]) {
    if (to <= from) continue;
    pixels.fillStyle = css(mixed(palette.surface, colour, 0.55));
    pixels.fillRect(x(from), 10, Math.max(2, x(to - 1) - x(from)), 6);
  }
  if ((width - THUMB) / starts.length >= 4) {
    pixels.fillStyle = css(palette.muted);
    for (const n of starts) pixels.fillRect(x(n), 18, 1, 5);
  }
  pixels.fillStyle = css(palette.wrong);
  for (let n = 0, last = -9; n < count; n++) {
    if (!events.wrong[n] || x(n) - last < 3) continue;
    last = x(n);
    pixels.fillRect(last - 1, 0, 3, 6);
    pixels.fillRect(last - 1, 7, 3, 2);
  }
  if (turn > 0 && turn < count) {
    pixels.fillStyle = css(palette.ink);
    pixels.fillRect(x(turn) - 1, 6, 2, 18);
  }
  const marks = document.getElementById("turn-label");
  marks.style.left = `${x(turn)}px`;
  marks.hidden = turn === 0 || turn === count;
}

function drawTimeline(event) {
  timeline.range.value = event.n;
  timeline.range.setAttribute("aria-valuetext", whereText(event));
}

function togglePlay() {
  if (timeline.timer) stop();
  else play();
}

function play() {
  if (current.n >= count - 1) go(0);
  const rate = Number(timeline.speed.value);
  const from = current.n;
  let wanted = from, began = null;
  const tick = (now) => {
    began ??= now;
    const n = Math.min(count - 1, from + Math.floor(((now - began) * rate) / 1000));
    if (current.n !== wanted) return stop(); // somebody went elsewhere
    const hidden = n > wanted ? firstHidden(wanted + 1, n) : -1;
    wanted = hidden >= 0 ? hidden : n;
    if (wanted !== current.n) go(wanted, true);
    if (hidden >= 0 || n === count - 1) return stop();
    timeline.timer = requestAnimationFrame(tick);
  };
  timeline.timer = requestAnimationFrame(tick);
  showPlaying();
}

function stop() {
  cancelAnimationFrame(timeline.timer);
  timeline.timer = null;
  showPlaying();
}

function showPlaying() {
  timeline.play.textContent = timeline.timer ? "Pause" : "Play";
  timeline.play.setAttribute("aria-pressed", String(Boolean(timeline.timer)));
}
