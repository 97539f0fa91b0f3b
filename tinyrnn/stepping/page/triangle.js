// The triangle of gradients: row t, column k, the norm of the gradient of the loss of step t at the state of step k.
// A press on a cell, or Enter, goes to where the backward pass is at step k.

const triangle = {
  section: document.getElementById("triangle"),
  canvas: document.getElementById("triangle-canvas"),
  readout: document.getElementById("triangle-readout"),
  picture: document.createElement("canvas"),
  at: null, // [t, k] under the arrow keys
  part: null, // which part of the state, or "both"; null where there is but one
};

function prepareTriangle() {
  triangle.section.hidden = !recording.triangle;
  if (triangle.section.hidden) return;
  const { state, norms, others = {} } = recording.triangle;
  triangle.norms = rowsOf(norms);
  const rest = Object.entries(others).map(([part, index]) => [part, rowsOf(index)]);
  if (rest.length) prepareParts({ [state]: triangle.norms, ...Object.fromEntries(rest) });
  describeTriangle();
  const { canvas } = triangle;
  canvas.addEventListener("pointermove", (e) => readTriangle(cellUnder(e)));
  canvas.addEventListener("pointerleave", () => readTriangle(null));
  canvas.addEventListener("click", (e) => goToCell(cellUnder(e)));
  canvas.addEventListener("keydown", pressedInTriangle);
  canvas.addEventListener("blur", () => moveInTriangle(null));
  paintTriangle();
}

// A button for each part of the state, and one for all of them together.
function prepareParts(parts) {
  triangle.part = ALL;
  const all = Object.values(parts).reduce((sum, norms) => norms.map((row, t) => row.map((x, k) => Math.hypot(sum[t][k], x))));
  triangle.parts = { ...parts, [ALL]: all };
  const buttons = Object.keys(triangle.parts).map((part) => element("button", { type: "button", "data-part": part, "aria-pressed": String(part === ALL), onclick: () => showPart(part) }, part));
  document.getElementById("triangle-parts").replaceChildren("gradient of ", ...buttons);
}

function showPart(part) {
  triangle.part = part;
  document.querySelectorAll("#triangle-parts button").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.part === part)));
  describeTriangle();
  paintTriangle();
  drawTriangle(current);
  readTriangle(triangle.at);
}

const ALL = "both";
const shownNorms = () => triangle.parts?.[triangle.part] ?? triangle.norms;
const shownState = () => (triangle.part === ALL ? `(${Object.keys(triangle.parts).filter((part) => part !== ALL).join(", ")})` : triangle.part ?? recording.triangle.state);

function describeTriangle() {
  const norms = shownNorms(), state = shownState();
  triangle.scale = logScale(norms.flat());
  const { least, most, isEmpty, isFloor } = triangle.scale;
  triangle.canvas.setAttribute("aria-label",
    `Norms of the gradients of every step's loss at every step's ${state}, a triangle of ${norms.length} by ${norms.length}; arrow keys and Enter`);
  document.getElementById("triangle-title").replaceChildren(...gradientOf("t", state, "k"));
  document.getElementById("triangle-ends").replaceChildren(
    isEmpty ? "all zero" : `${isFloor ? "≤ " : ""}${shown(least, 2)}`, element("span", { class: "ramp" }), isEmpty ? "" : shown(most, 2), " log scale");
}

const gradientOf = (t, state, k) => [
  "‖∂L", element("sub", {}, String(t)), ` / ∂${state}`, element("sub", {}, String(k)), "‖"];

// One pixel for each cell; blown up when it is shown.
function paintTriangle() {
  if (!recording.triangle) return;
  const norms = shownNorms(), T = norms.length;
  triangle.picture.width = triangle.picture.height = T;
  const image = new ImageData(T, T);
  norms.forEach((row, t) => row.forEach((x, k) => {
    if (k > t) return;
    const share = x > 0 ? 0.08 + 0.92 * triangle.scale.share(x) : 0.02;
    image.data.set([...(Number.isFinite(x) ? mixed(palette.surface, palette.heat, share) : palette.wrong), 255], (t * T + k) * 4);
  }));
  triangle.picture.getContext("2d").putImageData(image, 0, 0);
}

// Its side, in pixels: what ends within the first window is seen whole, beside the line that is run.
function roomForTriangle(T) {
  const below = innerHeight - (triangle.canvas.getBoundingClientRect().top + scrollY) - 8;
  return Math.min(T > 40 ? 300 : 200, triangle.section.clientWidth - 26, below >= 100 ? below : Infinity);
}

function drawTriangle(event) {
  if (!recording.triangle) return;
  const T = triangle.norms.length;
  const room = (triangle.room ??= roomForTriangle(T));
  const side = (triangle.side = T <= room / 2 ? Math.min(30, Math.floor(room / T)) : room / T);
  const pixels = scaled(triangle.canvas, side * T + 2, side * T + 2);
  pixels.imageSmoothingEnabled = false;
  pixels.drawImage(triangle.picture, 1, 1, side * T, side * T);
  pixels.strokeStyle = css(palette.line);
  pixels.beginPath();
  pixels.moveTo(1, 1);
  pixels.lineTo(1, side * T + 1);
  pixels.lineTo(side * T + 1, side * T + 1);
  pixels.stroke();
  const frame = (t, k, rows, colour) => {
    pixels.strokeStyle = css(colour);
    pixels.lineWidth = 2;
    pixels.strokeRect(k * side + 1, t * side + 1, Math.max(side, 2), Math.max(side * rows, 2));
  };
  const isHere = event.layer === recording.triangle.layer && event.t >= 0;
  if (isHere) frame(event.t, event.t, T - event.t, palette.accent);
  if (triangle.at) frame(...triangle.at, 1, palette.ink);
}

function cellUnder(e) {
  const [t, k] = [e.offsetY, e.offsetX].map((x) => Math.floor((x - 1) / triangle.side));
  return t >= k && k >= 0 && t < triangle.norms.length ? [t, k] : null;
}

function readTriangle(cell) {
  const state = shownState(), norms = shownNorms();
  const said = cell ? [...gradientOf(cell[0], state, cell[1]), ` = ${shown(norms[cell[0]][cell[1]])}`] : [];
  triangle.readout.replaceChildren(...said);
}

function goToCell(cell) {
  if (!cell) return;
  const { layer } = recording.triangle;
  const n = find((m) => m >= turn && events.layer[m] === layer && events.t[m] === cell[1]);
  if (n >= 0) go(n);
  else say(`the lines of step ${cell[1]} were not recorded`);
}

function pressedInTriangle(e) {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || (!by && e.key !== "Enter")) return;
  e.preventDefault();
  e.stopPropagation();
  const T = triangle.norms.length;
  if (e.key === "Enter") return goToCell(triangle.at);
  const [t, k] = triangle.at ? triangle.at.map((x, axis) => x + by[axis]) : [T - 1, T - 1];
  if (k >= 0 && t >= k && t < T) moveInTriangle([t, k]);
}

function moveInTriangle(cell) {
  triangle.at = cell;
  readTriangle(cell);
  drawTriangle(current);
}
