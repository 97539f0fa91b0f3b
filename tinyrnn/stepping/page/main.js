// Where the page is: one current line, and everything drawn from it, once a frame at most.

const where = document.getElementById("where");
const live = document.getElementById("live");
let current = null;
let isDue = false;
let announcing = null;
let width = 0; // of the page

// Goes to line n. The nearest one if there is none.
function go(n, isPlaying = false) {
  n = Math.max(0, Math.min(count - 1, n));
  if (current?.n === n) return;
  if (timeline.timer && !isPlaying) stop();
  current = eventAt(n);
  redraw();
}

function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

function draw() {
  const isHidden = isHiddenAt(current.n);
  document.documentElement.dataset.line = current.n;
  where.replaceChildren(...wherePieces(current));
  drawTimeline(current);
  if (layers.length) drawGraph(current);
  drawSource(current);
  drawValues(current, isHidden, isHidden ? pickedEntry() : -1);
  if (layers.length) drawStep(current, isHidden);
  drawTriangle(current);
  drawPrediction(current);
  keepAddress(current);
  announce();
}

function wherePieces(event) {
  const direction = event.backward ? "← backwards" : "→ forwards";
  const t = event.t >= 0 ? `t = ${event.t}` : layers.length ? "once for the whole sequence" : "";
  const layer = layers.length > 1 || (layers.length && event.layer < 0) ? [element("span", {}, layerName(event.layer))] : [];
  return [
    element("span", { class: event.backward ? "backward" : "forward" }, direction),
    element("span", { class: "time" }, t), ...layer,
    element("span", {}, `line ${event.n + 1} of ${count}`),
  ];
}

function whereText(event) {
  const t = event.t < 0 ? "" : `t ${event.t}, `;
  return `${event.backward ? "backwards" : "forwards"}, ${t}${sources[event.source].function} line ${event.line}, ${event.name}`;
}

// For screen readers: the line on which one has come to rest.
function announce() {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    const wrong = current.wrong ? `; wrong: ${current.wrong}` : "";
    const value = isHiddenAt(current.n) ? "" : valueText(current.value);
    live.textContent = `${whereText(current)}: ${current.text.trim()}${value}${wrong}`;
  }, 350);
}

function valueText(value) {
  if (!value?.re?.length) return "";
  const first = `${shown(value.re[0])}${value.im ? ` and ${shown(value.im[0])} i` : ""}`;
  return value.re.length === 1 ? ` gives ${first}` : ` gives ${value.shape.join(" by ")}, the first ${first}`;
}

function say(text) {
  document.getElementById("said").textContent = text;
}

// keys ---------------------------------------------------------------------------------------------------------------

const KEYS = {
  ArrowRight: () => goNext(), n: () => goNext(),
  ArrowLeft: () => goPrevious(), p: () => goPrevious(),
  t: () => goNextStep(), T: () => goPreviousStep(),
  f: () => goFirst(), b: () => goTurn(),
  Home: () => goFirst(), End: () => goLast(),
  " ": () => togglePlay(),
  w: () => document.getElementById("first-wrong").click(),
  g: () => jumpByKey(),
  r: () => togglePredict(),
  "?": () => document.getElementById("help").showModal(),
};

function pressed(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  const { target } = e;
  // a field that asks for a number and is empty takes no letter but i, for inf, and N, for NaN: the others go on
  const isEmpty = target.closest("#prediction-inputs") && target.value === "" && /^[a-hj-z]$/.test(e.key);
  const isTyping = !isEmpty && target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
  if (e.key === "Escape" && isTyping) return target.blur();
  const isPress = e.key === " " && target.matches("button, summary, input");
  if (isTyping || (isPress && target.type !== "range")) return;
  const act = e.shiftKey && e.key === "ArrowRight" ? KEYS.t : e.shiftKey && e.key === "ArrowLeft" ? KEYS.T : KEYS[e.key];
  if (!act) return;
  e.preventDefault();
  act();
}

// Opens what to jump to, where it is folded, and goes to its first field.
function jumpByKey() {
  jump.all.open = true;
  (recording.T ? jump.t : jump.name).focus();
}

// light and dark -----------------------------------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  root.dataset.theme = isDark ? "light" : "dark";
  recolour();
}

function recolour() {
  readColours();
  const isDark = (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const button = document.getElementById("theme");
  button.textContent = isDark ? "Light" : "Dark";
  paintTimeline();
  paintTriangle();
  for (const view of views) view.forget();
  if (current) redraw();
}

function resized([{ contentRect }]) {
  if (contentRect.width === width) return;
  width = contentRect.width;
  graph.width = triangle.room = null; // measured once, as to ask for a width makes the browser lay out what has changed
  paintTimeline();
  for (const view of views) view.forget();
  redraw();
}

function begin() {
  document.getElementById("empty").hidden = count > 0;
  document.querySelector("main").hidden = !count;
  if (!count) return;
  for (const id of layers.length ? [] : ["graph", "gradients"]) document.getElementById(id).hidden = true;
  document.querySelector("main").classList.toggle("functions", !layers.length);
  for (const id of recording.T ? [] : ["step-back", "step-on"]) document.getElementById(id).hidden = true;
  document.getElementById("go-t").parentElement.hidden = !recording.T;
  for (const prepare of [prepareGraph, prepareSource, prepareValues, prepareTimeline, preparePredict, prepareJump, prepareAddress]) prepare();
  readColours();
  prepareTriangle();
  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.getElementById("show-help").addEventListener("click", KEYS["?"]);
  document.addEventListener("keydown", pressed);
  dark.addEventListener("change", recolour);
  new ResizeObserver(resized).observe(document.querySelector("main"));
  jump.all.open = !matchMedia("(max-width: 759px)").matches;
  const said = placeAt(location.hash);
  current = eventAt(Math.min(count - 1, said >= 0 ? said : Number(document.documentElement.dataset.start)));
  recolour();
}

begin();
