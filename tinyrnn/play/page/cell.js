// One step of one network as a drawing, beside its source: boxes and wires come from the trace, numbers from the step at
// the scrubber.

const ROW = 66, EDGE = 46, BOX = { in: 58, out: 46, weights: 82, operation: 62 };
const SMALLEST = 0.85;
let column = 120; // pixels from one layer of boxes to the next

const drawingOf = () => NETWORKS[world[world.inside].cell].drawing;
const atX = (x) => EDGE + x * column, atY = (y) => 34 + y * ROW;
const linesOf = ({ lines }) => Object.values(lines).flat();

function prepareCell() {
  for (const button of document.querySelectorAll("#cell [data-side]")) {
    button.addEventListener("click", () => { world.inside = button.dataset.side; world.line = 0; buildCell(); showNumbers(); });
  }
}

// The boxes, the wires and the lines of the source, anew for another cell.
function buildCell() {
  const plan = drawingOf(), plot = document.querySelector("#cell .drawing");
  column = Math.max(112, Math.min(136, (width - 2 * EDGE) / plan.width));
  const [wide, high] = [atX(plan.width) + EDGE + 8, atY(plan.height) + 40];
  plot.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  const room = plot.parentElement.clientWidth / wide;
  const scale = room < SMALLEST ? 1 : Math.min(1, room); // a little smaller where it then fits; else one scrolls
  plot.style.width = `${wide * scale}px`;
  plot.style.height = `${high * scale}px`;
  const wires = plan.wires.map((wire) => wireOf(wire, plan)), named = new Set();
  const tags = plan.wires.filter(({ name, from }) => name && !named.has(`${from} ${name}`) && named.add(`${from} ${name}`)).map((wire) => tagOf(wire, plan));
  plot.replaceChildren(...wires, ...plan.boxes.map(boxOf), ...tags);
  const network = NETWORKS[world[world.inside].cell], H = network.states[Object.keys(network.states)[0]];
  world.unit = Math.min(world.unit, H);
  document.querySelector("#cell .knobs").replaceChildren(knob("unit", `numbers shown, of ${H} units`, { min: 1, max: H, step: 1, value: world.unit },
    (k) => { world.unit = k; showNumbers(); }, (k) => `unit ${k}`));
  const title = { project: "before the loop: project", step: "forwards: step", step_backward: "backwards: step_backward" };
  document.querySelector("#cell .sources").replaceChildren(...Object.entries(plan.lines).map(([method, lines]) =>
    element("div", {}, element("h3", {}, title[method]), element("ol", {}, ...lines.map((line) =>
      element("li", {}, element("button", { type: "button", "data-line": line.number, onclick: () => choose(line.number) },
        element("span", { class: "muted" }, `${line.number} `), element("code", {}, line.text))))))));
  document.querySelectorAll("#cell [data-side]").forEach((button) => button.setAttribute("aria-pressed", button.dataset.side === world.inside));
  light();
}

const boxOf = ({ label, kind, x, y }) => svg("g", { class: `box ${kind}` },
  svg("rect", { x: atX(x) - BOX[kind] / 2, y: atY(y) - 15, width: BOX[kind], height: 30, rx: kind === "operation" ? 15 : 5 }),
  svg("text", { x: atX(x), y: atY(y) + 5, "text-anchor": "middle", ...(label.length * 8 > BOX[kind] - 4 ? { textLength: BOX[kind] - 8, lengthAdjust: "spacingAndGlyphs" } : {}) }, label));

function wireOf({ name, path, from, to }, plan) {
  const points = path.map(([x, y]) => [atX(x), atY(y)]);
  points[0][0] += BOX[plan.boxes[from].kind] / 2;
  points.at(-1)[0] -= BOX[plan.boxes[to].kind] / 2;
  const d = points.map(([x, y], k) => {
    if (k === 0) return `M${x} ${y}`;
    const [x0, y0] = points[k - 1], middle = (x0 + x) / 2;
    return `C${middle} ${y0} ${middle} ${y} ${x} ${y}`;
  }).join("");
  return svg("path", { class: "wire", d, "data-wire": name });
}

// The name of a wire and its two numbers, where it leaves its box.
function tagOf({ name, path: [[x, y]], from }, plan) {
  const isIn = plan.boxes[from].kind === "in", left = atX(x) + BOX[plan.boxes[from].kind] / 2 + 3;
  const tag = svg("g", { class: "tag", tabindex: 0, role: "button", "data-tag": name },
    svg("text", { class: isIn ? "wire-name known" : "wire-name", x: left, y: atY(y) - 7 }, name),
    svg("text", { class: "forward", x: left, y: atY(y) + (isIn ? -7 : 15) }),
    svg("text", { class: "backward", x: left, y: atY(y) + (isIn ? 15 : 29) }));
  const press = () => choose(lineThatMakes(name));
  tag.addEventListener("click", press);
  tag.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    e.stopPropagation();
    press();
  });
  return tag;
}

const lineThatMakes = (name) => (linesOf(drawingOf()).find(({ names }) => names.includes(name)) ?? linesOf(drawingOf()).find(({ names }) => names.includes(`d${name}`)))?.number ?? 0;

function choose(number) {
  world.line = world.line === number ? 0 : number;
  light();
  showNumbers();
  keepAddress();
}

// The wires that a line is about: what it gives a value to, or, on the way back, a gradient.
function wiresOf(line) {
  const plan = drawingOf(), names = new Set(plan.wires.map(({ name }) => name).filter(Boolean));
  const isBack = plan.lines.step_backward.includes(line), found = [];
  for (const name of line.names) {
    if (!isBack) found.push(name);
    else if (/^da(_\d)?$/.test(name)) found.push("a", ...[...names].filter((wire) => wire.startsWith("a_")));
    else if (name.startsWith("d")) found.push(name.slice(1));
  }
  return found.filter((name) => names.has(name));
}

function light() {
  const line = linesOf(drawingOf()).find(({ number }) => number === world.line), lit = line ? wiresOf(line) : [];
  document.querySelectorAll("#cell [data-line]").forEach((button) => button.setAttribute("aria-pressed", Number(button.dataset.line) === world.line));
  document.querySelectorAll("#cell [data-wire]").forEach((wire) => wire.classList.toggle("lit", lit.includes(wire.dataset.wire)));
  document.querySelectorAll("#cell [data-tag]").forEach((tag) => tag.classList.toggle("lit", lit.includes(tag.dataset.tag)));
}

// What is not as the source has it, once the switch was thrown.
function switched({ cell, linear }) {
  if (linear === NETWORKS[cell].linear) return "";
  return linear ? ". Tanh is switched off: read tanh(z) as z, and its slope 1 − y² as 1" : ". Tanh is switched on: what is read of the input goes through it";
}

// The value of a wire in a step, and its gradient: arrays, or undefined.
function valueOf(result, t, name) {
  if (name === "x") return result.tape.x[t];
  if (name.endsWith("_prev")) return result.tape.states[t][name.slice(0, -5)];
  return result.tape.kept[t][name];
}

function gradientOf(result, t, name) {
  const made = result.back.made[t], { gates } = result.network, gate = gates.indexOf(name.slice(2));
  if (made[`d${name}`]) return made[`d${name}`];
  if (name.startsWith("a_") && gate >= 0) {
    const da = made.da ?? made.da_0, n = da.length / gates.length;
    return da.subarray(gate * n, (gate + 1) * n);
  }
  return name === "a" ? made.da ?? made.da_0 : result.back.states[t][name];
}

// The numbers of the step at the scrubber, on the wires; this is done while scrubbing.
function showNumbers() {
  const result = computed[world.inside], t = world.t - 1;
  const entry = (array) => (array?.length > 1 ? array[world.unit - 1] : array?.[0]);
  const said = (array) => (entry(array) === undefined ? "" : plain(entry(array)));
  document.getElementById("cell-where").textContent = `step ${world.t} of the ${result.network.label}, unit ${world.unit}${switched(world[world.inside])}`;
  for (const tag of document.querySelectorAll("#cell .tag")) {
    const [, forward, backward] = tag.children, name = tag.dataset.tag;
    forward.textContent = ` ${said(valueOf(result, t, name))}`;
    backward.textContent = world.t > world.loss ? "" : ` ${said(gradientOf(result, t, name))}`;
  }
  const line = linesOf(drawingOf()).find(({ number }) => number === world.line), words = document.getElementById("wire");
  if (!line) return words.replaceChildren("");
  const isBack = drawingOf().lines.step_backward.includes(line);
  const gradient = (name) => world.t > world.loss ? "" : said(gradientOf(result, t, name));
  const found = wiresOf(line).flatMap((name) => [
    ...(isBack ? [] : [`${name} = ${said(valueOf(result, t, name)) || "–"}`]),
    ...(gradient(name) || isBack ? [`∂L/∂${name} = ${gradient(name) || "–"}`] : [])]);
  words.replaceChildren(element("b", {}, `${drawingOf().file}, line ${line.number}: `), element("code", {}, line.text), found.length ? `. At step ${world.t}: ${found.join(", ")}.` : "");
}
