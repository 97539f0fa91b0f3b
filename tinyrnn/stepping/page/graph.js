// The unrolled network: layers above each other, in each a row for every part of its state, time from left to right. An edge between two time steps is as wide as
// the gradient that leaves along it is large, and full in colour once the backward pass has come by; a node is as dark
// as the gradient that arrives at it. What the current line belongs to is framed.

const graph = {
  canvas: document.getElementById("graph-canvas"),
  readout: document.getElementById("graph-readout"),
  passed: new Map(), // "layer t" -> the first backward line there
  hasTop: events.layer.includes(-1),
};

function prepareGraph() {
  for (const n of starts) {
    if (n >= turn && !graph.passed.has(place(n))) graph.passed.set(place(n), n);
  }
  graph.rows = layers.flatMap(({ states }, layer) => states.map((state) => ({ layer, state })));
  graph.norms = new Map(steps.map((step) => [
    `${step.layer} ${step.t}`, { arriving: normOf(step.arriving), leaving: normOf(step.leaving) }]));
  for (const { layer, t, arriving, leaving } of steps) {
    for (const state of layers[layer].states) {
      const only = (named) => normOf(state in named ? { [state]: named[state] } : {});
      graph.norms.set(`${layer} ${t} ${state}`, { arriving: only(arriving), leaving: only(leaving) });
    }
  }
  const all = [...graph.norms.values()].flatMap(({ arriving, leaving }) => [arriving, leaving]);
  graph.scale = logScale(all, DECADES);
  graph.canvas.addEventListener("pointermove", (e) => readGraph(nodeUnder(e)));
  graph.canvas.addEventListener("pointerleave", () => readGraph(null));
  graph.canvas.addEventListener("click", (e) => goToNode(nodeUnder(e)));
  graph.canvas.addEventListener("keydown", pressedInGraph);
  describeGraph();
}

const DECADES = 4; // of widths, on every page, so that pages can be laid beside each other

const place = (n) => `${events.layer[n]} ${events.t[n]}`;

function describeGraph() {
  const { scale } = graph;
  const legend = document.getElementById("graph-legend");
  if (scale.isEmpty) return void (legend.textContent = "no gradient was recorded");
  legend.append("its norm, log scale:");
  for (const x of [scale.least, Math.sqrt(scale.least * scale.most), scale.most]) {
    const below = scale.isFloor && x === scale.least ? "≤ " : "";
    legend.append(element("span", { class: "stroke", style: `height:${edgeWidth(x)}px` }), below + shown(x, 2));
  }
}

// Where there are many time steps, nodes and edges are small, so that none covers its neighbour.
const edgeWidth = (x, pitch = 90) => (x > 0 ? 1 + Math.min(8, pitch / 4) * graph.scale.share(x) : 0.5);

// Where everything is: one column a time step, as many as there is room for around the current one.
function layoutGraph(now) {
  const width = (graph.width ??= graph.canvas.parentElement.clientWidth);
  const left = width < 500 ? 62 : 110, right = 14;
  const most = Math.max(2, Math.floor((width - left - right) / 5));
  const shownSteps = Math.min(recording.T, most);
  const first = Math.max(0, Math.min(recording.T - shownSteps, Math.round(now - shownSteps / 2)));
  const pitch = Math.min(240, (width - left - right) / shownSteps);
  const rowHeight = graph.rows.length > 4 ? 30 : 42;
  const top = graph.hasTop ? 30 : 14;
  return {
    width, left, first, pitch, rowHeight, top,
    last: first + shownSteps - 1,
    height: top + rowHeight * graph.rows.length + 22,
    x: (column) => left + (column - first + 0.5) * pitch,
    y: (row) => top + rowHeight * (graph.rows.length - 1 - row + 0.5),
  };
}

// A layer that reads from the end has its first step in the last column.
const columnOf = (layer, t) => (layers[layer]?.reversed ? recording.T - 1 - t : t);

function drawGraph(event) {
  const now = event.t < 0 ? (event.backward ? recording.T - 1 : 0) : columnOf(event.layer, event.t);
  const layout = (graph.layout = layoutGraph(now));
  const pixels = scaled(graph.canvas, layout.width, layout.height);
  pixels.font = "12px system-ui, sans-serif";
  pixels.textBaseline = "middle";
  graph.rows.forEach((_, row) => drawRow(pixels, layout, row, event));
  drawTimes(pixels, layout);
  if (graph.hasTop) drawTop(pixels, layout, event);
  readGraph(null);
  const here = nodeText(event.layer, event.t);
  graph.canvas.setAttribute("aria-label", `${here ? `${here}. ` : ""}The unrolled network; arrow keys`);
}

function drawRow(pixels, layout, row, event) {
  const { layer, state } = graph.rows[row], y = layout.y(row), isWide = layout.pitch >= 14;
  const isHere = event.layer === layer;
  pixels.fillStyle = css(isHere ? palette.ink : palette.muted);
  pixels.textAlign = "left";
  pixels.font = `${isHere ? "600 " : ""}12px system-ui, sans-serif`;
  pixels.fillText(layers[layer].states.length > 1 ? `${layerName(layer)}: ${state}` : layerName(layer), 2, y, layout.left - 12);
  const radius = Math.max(1, Math.min(9, layout.pitch * 0.3));
  for (let column = layout.first; column <= layout.last; column++) {
    const t = columnOf(layer, column), norms = graph.norms.get(`${layer} ${t} ${state}`);
    const isPassed = event.n >= (graph.passed.get(`${layer} ${t}`) ?? Infinity);
    const isNow = isHere && event.t === t;
    const x = layout.x(column), step = layers[layer].reversed ? -layout.pitch : layout.pitch;
    drawCarried(pixels, { from: x - step, to: x, y, pitch: layout.pitch }, norms, isPassed, isNow && event, radius, t === 0);
    if (isWide || isNow) drawUp(pixels, x, y, layout.rowHeight, radius, isNow);
    drawNode(pixels, x, y, radius, norms, isPassed, isNow, liveShare(column));
  }
}

// The edge between the state before and this step's; the way back when the current line is a backward one.
function drawCarried(pixels, { from, to, y, pitch }, norms, isPassed, event, radius, isFirst) {
  const gap = radius < 4 ? 0 : radius;
  const [start, end] = from < to ? [from + gap, to - gap] : [from - gap, to + gap];
  const near = isFirst ? (start + end) / 2 : start;
  const colour = event && !event.backward ? palette.forward : palette.backward;
  pixels.strokeStyle = css(event || isPassed ? colour : mixed(palette.surface, palette.backward, norms ? 0.3 : 0));
  pixels.lineWidth = norms ? edgeWidth(norms.leaving, pitch) : 1;
  if (!norms && !event) pixels.strokeStyle = css(palette.line);
  if (event) pixels.lineWidth = Math.max(2, pixels.lineWidth);
  pixels.beginPath();
  pixels.moveTo(near, y);
  pixels.lineTo(end, y);
  pixels.stroke();
  pixels.lineWidth = 1;
  if (event && Math.abs(end - near) > 6) arrowHead(pixels, event.backward ? near : end, y, (end > near) !== event.backward, colour);
}

function arrowHead(pixels, x, y, isRight, colour) {
  const by = isRight ? -9 : 9;
  pixels.fillStyle = css(colour);
  pixels.beginPath();
  pixels.moveTo(x, y);
  pixels.lineTo(x + by, y - 7);
  pixels.lineTo(x + by, y + 7);
  pixels.fill();
}

function drawUp(pixels, x, y, rowHeight, radius, isNow) {
  pixels.strokeStyle = css(isNow ? palette.ink : palette.line);
  for (const [from, to] of [[y + rowHeight / 2, y + radius], [y - radius, y - rowHeight / 2]]) {
    pixels.beginPath();
    pixels.moveTo(x, from);
    pixels.lineTo(x, to);
    pixels.stroke();
  }
}

function drawNode(pixels, x, y, radius, norms, isPassed, isNow, live) {
  const share = norms ? 0.15 + 0.85 * graph.scale.share(norms.arriving) : 0;
  pixels.fillStyle = css(mixed(palette.surface, palette.backward, isPassed ? share : share * 0.3));
  pixels.strokeStyle = css(isNow ? palette.ink : palette.muted);
  pixels.lineWidth = isNow ? 2.5 : 1;
  pixels.setLineDash(live < 1 ? [2, 2] : []);
  pixels.beginPath();
  pixels.arc(x, y, radius + (isNow ? Math.min(2, radius) : 0), 0, 2 * Math.PI);
  pixels.fill();
  if (radius > 2 || isNow) pixels.stroke();
  pixels.setLineDash([]);
  pixels.lineWidth = 1;
}

function liveShare(column) {
  const row = recording.mask?.[column];
  return row ? row.reduce((a, b) => a + b, 0) / row.length : 1;
}

function drawTimes(pixels, layout) {
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => n * layout.pitch >= 34) ?? 2000;
  pixels.fillStyle = css(palette.muted);
  pixels.font = "12px system-ui, sans-serif";
  pixels.textAlign = "left";
  pixels.fillText("t", 2, layout.height - 9);
  pixels.textAlign = "center";
  for (let t = Math.ceil(layout.first / every) * every; t <= layout.last; t += every) {
    pixels.fillText(String(t), layout.x(t), layout.height - 9);
  }
}

function drawTop(pixels, layout, event) {
  const isNow = event.layer < 0;
  const right = layout.x(layout.last) + layout.pitch / 2;
  pixels.fillStyle = css(isNow ? mixed(palette.surface, palette.accent, 0.25) : palette.surface);
  pixels.strokeStyle = css(isNow ? palette.ink : palette.line);
  pixels.lineWidth = isNow ? 2 : 1;
  pixels.beginPath();
  pixels.rect(layout.left, 5, right - layout.left, 20);
  pixels.fill();
  pixels.stroke();
  pixels.lineWidth = 1;
  pixels.fillStyle = css(isNow ? palette.ink : palette.muted);
  pixels.textAlign = "center";
  pixels.fillText("outside of the recurrent layers: readout, loss", (layout.left + right) / 2, 15.5, right - layout.left - 8);
}

function layerName(layer) {
  if (layer < 0) return "outside the layers";
  const { name, cell } = layers[layer];
  return name ? `${name} ${cell}` : cell;
}

function nodeUnder(e) {
  const { layout } = graph;
  if (!layout) return null;
  const column = Math.floor((e.offsetX - layout.left) / layout.pitch) + layout.first;
  const layer = graph.rows[graph.rows.length - 1 - Math.floor((e.offsetY - layout.top) / layout.rowHeight)]?.layer;
  const isInside = column >= layout.first && column <= layout.last && layer !== undefined;
  return isInside ? { layer, t: columnOf(layer, column), column } : null;
}

function nodeText(layer, t) {
  const norms = graph.norms.get(`${layer} ${t}`);
  if (layer < 0 || t < 0) return "";
  const each = layers[layer].states.map((state) => [state, graph.norms.get(`${layer} ${t} ${state}`)]);
  const apart = norms && each.length > 1 ? `; ${each.map(([state, part]) => `${state} ${shown(part.arriving)} and ${shown(part.leaving)}`).join(", ")}` : "";
  const said = norms ? `norm of the gradient arriving ${shown(norms.arriving)}, leaving ${shown(norms.leaving)}${apart}` : "no gradient recorded";
  return `${layerName(layer)}, t = ${t}: ${said}`;
}

function readGraph(node) {
  if (!node) return void (graph.readout.textContent = current.backward ? nodeText(current.layer, current.t) : "");
  const off = (recording.mask?.[node.column] ?? []).flatMap((on, b) => (on ? [] : [b]));
  const masked = off.length ? `; masked in sequence ${off.join(", ")}` : "";
  graph.readout.textContent = nodeText(node.layer, node.t) + masked;
}

function goToNode(node) {
  if (!node) return;
  const backward = current.n >= turn;
  const n = find((k) => events.layer[k] === node.layer && events.t[k] === node.t && k >= turn === backward);
  if (n >= 0) go(n);
}

// To the neighbour: left and right in time, up and down through the layers.
function pressedInGraph(e) {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[e.key];
  if (!by || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
  e.preventDefault();
  e.stopPropagation();
  const isInside = current.layer >= 0 && current.t >= 0;
  const layer = isInside ? current.layer + by[0] : layers.length - 1;
  const column = isInside ? columnOf(current.layer, current.t) + by[1] : recording.T - 1;
  if (layers[layer] && column >= 0 && column < recording.T) goToNode({ layer, t: columnOf(layer, column) });
}
