// The pictures: the input as bars, and for each network a lane for each part of its state, with the gradient as a river.

const GUTTER = 40, MARGIN = 26, LANE = 84, GAP = 10;
let width = 0;

const placeOf = (t) => GUTTER + ((t - 1) / (STEPS - 1)) * (width - GUTTER - MARGIN); // t from 1 on
const stepAt = (x) => Math.max(1, Math.min(STEPS, Math.round(1 + ((x - GUTTER) / (width - GUTTER - MARGIN)) * (STEPS - 1))));

// Pixels for a gradient of length 1: one scale for both networks; what is wider than its lane is cut, and marked.
function pixelsPerUnit() {
  const widest = Math.max(1, ...SIDES.flatMap((name) => computed[name].widths.flatMap((parts) => Object.values(parts))));
  return (LANE - 8) / Math.min(Number.isFinite(widest) ? widest : 4, 4);
}

// rivers -------------------------------------------------------------------------------------------------------------

function drawNetwork(name) {
  const plot = document.querySelector(`#${name} .plot`), result = computed[name];
  const lanes = result.names.toReversed(), height = lanes.length * (LANE + GAP);
  const middle = (state) => lanes.indexOf(state) * (LANE + GAP) + LANE / 2 + 2;
  const colour = (state) => `lane-${result.names.indexOf(state) % 3}`, unit = pixelsPerUnit();
  plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
  plot.style.height = `${height}px`;
  plot.setAttribute("aria-label", described(result));
  const [ghost, flow] = [svg("g", { class: "ghost" }), svg("g", { "clip-path": `url(#${name}-came)` })];
  const parts = [svg("clipPath", { id: `${name}-came` }, svg("rect", { y: 0, height, width }))];
  for (const state of lanes) {
    parts.push(svg("rect", { class: "bed", x: GUTTER - 8, y: middle(state) - LANE / 2, width: width - GUTTER - MARGIN + 16, height: LANE, rx: 8 }));
    parts.push(svg("text", { class: "name", x: 10, y: middle(state) + 5 }, state));
    const d = river(result, state, middle(state), unit);
    ghost.append(svg("path", { class: `river ${colour(state)}`, d }));
    flow.append(svg("path", { class: `river ${colour(state)}`, d }));
  }
  result.crossings.forEach((found, t) => {
    for (const [from, to, size] of found) {
      if (size * unit < 0.3) continue;
      const [x0, x1, y0, y1] = [placeOf(t + 1), placeOf(t), middle(from), middle(to)], xm = (x0 + x1) / 2;
      const wide = Math.min(size * unit, LANE - 8).toFixed(1);
      flow.append(svg("path", { class: `crossing ${colour(from)}`, d: `M${x0} ${y0}C${xm} ${y0} ${xm} ${y1} ${x1} ${y1}`, "stroke-width": wide }));
    }
  });
  plot.replaceChildren(...parts, ghost, flow, ...overflows(result, lanes, middle, unit), ...valves(result, middle));
  plot.append(svg("line", { class: "front", y1: 0, y2: height - GAP + 4 }), svg("g", { class: "readings" }));
  moveFront(name);
}

function river(result, state, y, unit) {
  const half = result.widths.map((parts) => Math.min((parts[state] * unit) / 2, (LANE - 8) / 2) || 0);
  const last = Math.min(STEPS, world.loss);
  const edge = (order, sign) =>
    order.map((t, k) => {
      const [x, at] = [placeOf(t), (y + sign * half[t - 1]).toFixed(2)];
      if (k === 0) return `${sign < 0 ? "M" : "L"}${x} ${at}`;
      const before = placeOf(order[k - 1]), xm = (x + before) / 2, from = (y + sign * half[order[k - 1] - 1]).toFixed(2);
      return `C${xm} ${from} ${xm} ${at} ${x} ${at}`;
    }).join("");
  const steps = Array.from({ length: last }, (_, k) => last - k);
  return `${edge(steps, -1)}${edge(steps.toReversed(), 1)}Z`;
}

// Where the river is wider than its lane.
function overflows(result, lanes, middle, unit) {
  const marks = [];
  for (const state of lanes) {
    const over = result.widths.map((parts, t) => (parts[state] * unit > LANE ? t + 1 : 0)).filter(Boolean);
    if (!over.length) continue;
    const [from, to] = [placeOf(over[0]) - 4, placeOf(over.at(-1)) + 4];
    for (const sign of [-1, 1]) {
      const y = middle(state) + (sign * LANE) / 2;
      marks.push(svg("line", { class: "over", x1: from, x2: to, y1: y, y2: y }));
    }
  }
  return marks;
}

// A gate that stands between a part of the state and the one before it: two leaves, as far apart as the gate is open.
function valves(result, middle) {
  const every = Math.ceil((10 * STEPS) / (width - GUTTER - MARGIN)); // where steps are narrow, not all of them fit
  return result.network.valves.flatMap(({ gate, source, to, carries }) =>
    openings(result, gate).flatMap((open, t) => {
      if (t + 1 > world.loss || (world.loss - t - 1) % every) return [];
      if (!carries) return between(placeOf(t + 1), (middle(source) + middle(to)) / 2, open);
      if (t === 0) return [];
      const x = (placeOf(t) + placeOf(t + 1)) / 2, shut = ((1 - open) * LANE) / 2;
      const leaf = (sign) => svg("line", {
        class: open < 0.5 ? "leaf shut" : "leaf", x1: x, x2: x,
        y1: middle(to) + (sign * LANE) / 2, y2: middle(to) + sign * (LANE / 2 - shut),
      });
      return [leaf(-1), leaf(1)];
    }));
}

// A gate between two parts of the state of one step: leaves that lie across the gap between the lanes.
function between(x, y, open) {
  const half = Math.min(9, (width - GUTTER - MARGIN) / STEPS / 3);
  return [-1, 1].map((sign) => svg("line", {
    class: "leaf", x1: x + sign * half, x2: x + sign * half * open, y1: y, y2: y,
  }));
}

// Everything that moves with the scrubber, and nothing else: this has to be quick.
function moveFront(name) {
  const plot = document.querySelector(`#${name} .plot`), result = computed[name], t = world.t;
  const x = placeOf(t), lanes = result.names.toReversed();
  plot.querySelector("clipPath rect").setAttribute("x", x - 1);
  const front = plot.querySelector(".front");
  front.setAttribute("x1", x);
  front.setAttribute("x2", x);
  const readings = plot.querySelector(".readings"), made = [];
  lanes.forEach((state, k) => {
    const y = k * (LANE + GAP) + LANE / 2 + 2, now = result.widths[t - 1]?.[state] ?? 0, from = result.widths[t]?.[state];
    const isLeft = x > width - 150, text = t > world.loss ? "" : `${plain(now)}${factor(result, state, now, from)}`;
    made.push(svg("circle", { class: "dot", cx: x, cy: y, r: 4 }));
    made.push(svg("text", { class: "value", x: x + (isLeft ? -9 : 9), y: y + 4, "text-anchor": isLeft ? "end" : "start" }, text));
  });
  readings.replaceChildren(...made);
}

// How much a step back has made of what came, and the gate that did it.
function factor(result, state, now, from) {
  if (!(from > 0) || world.t + 1 > world.loss || width < 600) return "";
  const gate = result.network.valves.find((valve) => valve.carries && valve.to === state)?.gate;
  const open = gate ? `, ${gate} = ${openings(result, gate)[world.t].toFixed(2)}` : "";
  return ` (× ${(now / from).toPrecision(2)}${open})`;
}

function described(result) {
  const asked = result.names.map((state) => `${state} ${share(result.widths[world.ask - 1][state])}`).join(", ");
  return `The gradient on its way back through ${result.network.label}: at step ${world.ask} there is left in ${asked}.`;
}

// the input ----------------------------------------------------------------------------------------------------------

const INPUT_HEIGHT = 92, ZERO = 48, BAR = 26; // pixels; BAR for an input of 1
let chosen = 1; // the bar that the keys change

function drawInput() {
  const plot = document.getElementById("input"), parts = [];
  plot.setAttribute("viewBox", `0 0 ${width} ${INPUT_HEIGHT}`);
  plot.style.height = `${INPUT_HEIGHT}px`;
  parts.push(svg("text", { class: "name", x: 10, y: ZERO + 5 }, "x"));
  parts.push(svg("line", { class: "axis", x1: GUTTER - 8, x2: width - MARGIN + 8, y1: ZERO, y2: ZERO }));
  const room = (width - GUTTER - MARGIN) / (STEPS - 1), thick = Math.min(14, room * 0.6);
  for (let t = 1; t <= STEPS; t++) {
    const x = world.x[t - 1], y = x < 0 ? ZERO : ZERO - x * BAR;
    parts.push(svg("rect", { class: x < 0 ? "bar minus" : "bar", x: placeOf(t) - thick / 2, y, width: thick, height: Math.max(1, Math.abs(x) * BAR), rx: 2 }));
    if (t === 1 || t % (room < 24 ? 10 : 5) === 0) parts.push(svg("text", { x: placeOf(t), y: INPUT_HEIGHT - 3, "text-anchor": "middle" }, t));
  }
  const grip = svg("rect", {
    class: "grip", x: GUTTER - room / 2, y: 14, width: width - GUTTER - MARGIN + room, height: 62, tabindex: 0, role: "slider", "aria-label": "input",
    "aria-valuemin": -1.2, "aria-valuemax": 1.2, "aria-valuenow": world.x[chosen - 1].toFixed(2), "aria-valuetext": `step ${chosen}: ${world.x[chosen - 1].toFixed(2)}`,
  });
  grip.addEventListener("pointerdown", dragBars);
  grip.addEventListener("keydown", (e) => barKey(e));
  parts.push(grip, flag("ask", "asked for", "▼"), flag("loss", "the loss looks here", "⚑"));
  const focus = document.activeElement?.closest?.("#input [tabindex]")?.dataset.flag ?? (document.activeElement?.matches?.(".grip") ? "grip" : null);
  plot.replaceChildren(...parts);
  if (focus) plot.querySelector(focus === "grip" ? ".grip" : `[data-flag="${focus}"]`).focus();
}

function flag(key, words, sign) {
  const t = world[key], x = placeOf(t), isLeft = x > width / 2;
  const text = svg("text", { x: x + (isLeft ? 5 : -5), y: 11, "text-anchor": isLeft ? "end" : "start" }, isLeft ? `${words} ${sign}` : `${sign} ${words}`);
  const made = svg("g", {
    class: "flag", tabindex: 0, role: "slider", "data-flag": key, "aria-label": `step: ${words}`, "aria-valuemin": 1, "aria-valuemax": STEPS, "aria-valuenow": t,
  }, svg("rect", { x: x - 14, y: 0, width: 28, height: 16, fill: "transparent" }), text);
  made.addEventListener("pointerdown", (e) => {
    const move = ({ clientX }) => setFlag(key, stepAt(clientX - document.getElementById("input").getBoundingClientRect().left));
    dragging(e, move);
  });
  made.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    setFlag(key, world[key] + by);
  });
  return made;
}

function dragging(e, move) {
  e.preventDefault();
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
  move(e);
}

function dragBars(e) {
  const box = document.getElementById("input").getBoundingClientRect();
  dragging(e, ({ clientX, clientY }) => setBar(stepAt(clientX - box.left), (ZERO - (clientY - box.top)) / BAR));
}

function barKey(e) {
  const [along, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[e.key] ?? [];
  if (along === undefined) return;
  e.preventDefault();
  e.stopPropagation();
  chosen = Math.max(1, Math.min(STEPS, chosen + along));
  setBar(chosen, world.x[chosen - 1] + up);
}
