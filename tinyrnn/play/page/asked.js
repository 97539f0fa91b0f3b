// Which inputs an answer looks back at: the gradient of an answer's score, by the network's own backward pass.

const { length: LETTERS, symbols: SYMBOLS, delay: DELAY } = SETTINGS, STEPS = DELAY + 2 * LETTERS, PHASES = ["before", "after"];
const SIGN = ["·", ..."ABCDEFGH".slice(0, SYMBOLS), "|"]; // of the input's classes: blank, letters, delimiter
const world = { cell: Object.keys(NETWORKS)[0], letters: [1, 2, 3], t: STEPS - LETTERS, part: "both" };
const found = {}; // phase -> what look() returned

// The input as class numbers, and what should be said at each step.
const sequence = () => Array.from({ length: STEPS }, (_, t) => (t < LETTERS ? world.letters[t] : t === STEPS - LETTERS - 1 ? SYMBOLS + 1 : 0));
const target = (t) => (t < STEPS - LETTERS ? 0 : world.letters[t - STEPS + LETTERS]);

function weightsOf(network, phase) {
  return withArrays(phase === "after" ? network.params : { ...network.params, ...network.before });
}

// Everything that the page shows of a network in one phase. states[t][k][name]: the norm of the gradient of answer t with
// respect to the state after step k; inputs[t][k]: with respect to input k.
function look(phase) {
  const network = NETWORKS[world.cell], p = weightsOf(network, phase), { W, b } = withArrays(network.readout[phase]);
  const classes = b.length, H = W.length / classes, output = Object.keys(network.states)[0];
  const x = sequence().map((c) => Float64Array.from({ length: network.inputSize }, (_, k) => (k === c ? 1 : 0)));
  const tape = runForward(network, p, x);
  const scores = tape.states.slice(1).map((state) => Array.from(b, (bias, c) => state[output].reduce((sum, h, j) => sum + h * W[j * classes + c], bias)));
  const said = scores.map((row) => row.indexOf(Math.max(...row)));
  const states = [], inputs = [];
  said.forEach((c, t) => {
    const up = Float64Array.from({ length: H }, (_, j) => W[j * classes + c]);
    const back = runBackward(network, p, tape, (k) => (k === t ? up : null));
    states.push(back.states.slice(0, t + 1).map((parts) => Object.fromEntries(Object.entries(parts).map(([name, d]) => [name, norm(d)]))));
    inputs.push(weightGradients(network, p, tape, back).inputs.slice(0, t + 1).map((d) => norm(d)));
  });
  return { said, states, inputs, names: Object.keys(network.states), tape };
}

function compute() {
  for (const phase of PHASES) found[phase] = look(phase);
}

// drawing ------------------------------------------------------------------------------------------------------------

function drawThreads(phase, width) {
  const { said, inputs } = found[phase], room = width / STEPS, side = Math.min(34, room - 3), high = 210;
  const widest = Math.max(...PHASES.flatMap((each) => found[each].inputs[world.t]));
  const at = (t) => (t + 0.5) * room, plot = svg("svg", { viewBox: `0 0 ${width} ${high}`, role: "group", "aria-label": `${phase} training: inputs above, answers below` });
  plot.style.height = `${high}px`;
  inputs[world.t].forEach((size, k) => {
    const wide = (size / widest) * Math.min(26, room);
    if (wide > 0.15) plot.append(svg("path", { class: "thread", d: `M${at(world.t)} 156C${at(world.t)} 96 ${at(k)} 118 ${at(k)} 40`, "stroke-width": wide.toFixed(2) }));
  });
  sequence().forEach((c, t) => plot.append(chip(at(t), 22, side, SIGN[c], `chip ${t < LETTERS ? "letter" : ""}`)));
  said.forEach((c, t) => {
    const isRight = c === target(t), made = chip(at(t), 174, side, SIGN[c], `chip answer ${isRight ? "right" : "wrong"} ${t === world.t ? "chosen" : ""}`, isRight ? "" : room < 44 ? "✗" : `not ${SIGN[target(t)]}`);
    for (const [name, value] of Object.entries({ tabindex: 0, role: "button", "data-t": t, "aria-pressed": t === world.t })) made.setAttribute(name, value);
    made.addEventListener("click", () => choose(t));
    made.addEventListener("keydown", (e) => {
      const to = { Enter: t, " ": t, ArrowLeft: t - 1, ArrowRight: t + 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      choose(Math.max(0, Math.min(STEPS - 1, to)), phase);
    });
    plot.append(made);
  });
  return plot;
}

const chip = (x, y, side, sign, kind, mark = "") => svg("g", { class: kind },
  svg("rect", { x: x - side / 2, y: y - 17, width: side, height: 34, rx: 7 }), svg("text", { x, y: y + 5 }, sign),
  ...(mark ? [svg("text", { class: "mark", x, y: y + 32 }, ` ${mark}`)] : []));

const sizeOf = (parts) => (world.part === "both" ? norm(Object.values(parts)) : parts[world.part] ?? norm(Object.values(parts)));

function drawTriangle(phase) {
  const { states } = found[phase], side = 16, edge = 26, whole = STEPS * side + edge + 4;
  const most = Math.max(...PHASES.flatMap((each) => found[each].states.flat().map(sizeOf)));
  const plot = svg("svg", { viewBox: `0 0 ${whole} ${whole}`, role: "img", "aria-label": `${phase} training: how much each answer depends on each earlier state. Answer ${world.t + 1} depends on the state after step 1 by ${plain(sizeOf(states[world.t][0]))}, after its own step by ${plain(sizeOf(states[world.t].at(-1)))}.` });
  states.forEach((row, t) => row.forEach((parts, k) => {
    const share = sizeOf(parts) / most, opacity = Math.max(0, 1 + Math.log10(Math.max(share, 1e-9)) / 3);
    plot.append(svg("rect", { class: "cell", x: edge + k * side, y: t * side, width: side - 1, height: side - 1, "fill-opacity": opacity.toFixed(3) }, svg("title", {}, `answer ${t + 1}, state ${k + 1}: ${plain(sizeOf(parts))}`)));
  }));
  plot.append(svg("rect", { class: "row", x: edge - 1, y: world.t * side - 1, width: (world.t + 1) * side + 1, height: side + 1 }));
  ["row: an answer", "column: a state", "strong: it matters"].forEach((words, k) =>
    plot.append(svg("text", { class: "label", x: whole - 2, y: 14 + 17 * k, "text-anchor": "end" }, words)));
  for (const t of [0, 4, 9, STEPS - 1]) {
    plot.append(svg("text", { class: "label", x: edge - 5, y: t * side + 12, "text-anchor": "end" }, t + 1));
    plot.append(svg("text", { class: "label", x: edge + t * side + side / 2, y: whole - 6, "text-anchor": "middle" }, t + 1));
  }
  return plot;
}

function words(phase) {
  const { said, inputs } = found[phase], row = inputs[world.t], whole = row.reduce((a, b) => a + b, 0);
  const best = row.indexOf(Math.max(...row)), share = Math.round((100 * row[best]) / whole);
  const letters = Math.round((100 * row.slice(0, LETTERS).reduce((a, b) => a + b, 0)) / whole);
  const isRight = said[world.t] === target(world.t), wanted = world.t - STEPS + LETTERS;
  const about = wanted < 0 ? "" : ` The letter that is due came in at step ${wanted + 1}, whose share is ${Math.round((100 * row[wanted]) / whole)} %.`;
  return `At step ${world.t + 1} it says ${SIGN[said[world.t]]}, which is ${isRight ? "right" : "wrong"}. What moves this answer most is the input of step ${best + 1}, with ${share} % of the gradient; the three letters together have ${letters} %.${about}`;
}

function draw() {
  for (const phase of PHASES) {
    const section = document.getElementById(phase), width = Math.max(300, section.clientWidth - (innerWidth >= 900 ? 352 : 30));
    section.replaceChildren(element("h2", { id: `${phase}-title` }, phase === "before" ? "Before training" : `After ${SETTINGS.updates} updates`),
      element("p", { class: "said", "aria-live": "polite" }, words(phase)), drawThreads(phase, width), drawTriangle(phase));
  }
  document.getElementById("letters").replaceChildren("letters", ...world.letters.map((c, k) =>
    element("button", { type: "button", "aria-label": `letter ${k + 1}: ${SIGN[c]}, press for another`, onclick: () => { world.letters[k] = (c % SYMBOLS) + 1; redo(`#letters button:nth-of-type(${k + 1})`); } }, SIGN[c])));
  const names = found.after.names;
  document.getElementById("parts").replaceChildren("gradient of", ...(names.length > 1 ? [...names, "both"] : names).map((name) =>
    element("button", { type: "button", "data-part": name, "aria-pressed": String(world.part === name || names.length === 1), onclick: () => { world.part = name; redo(`[data-part=${name}]`); } }, name)));
  document.documentElement.dataset.ready = "yes";
}

function redo(focus) {
  compute();
  draw();
  if (focus) document.querySelector(focus)?.focus();
  try { history.replaceState(null, "", `#${new URLSearchParams({ cell: world.cell, t: world.t + 1, letters: world.letters.join("") })}`); } catch { /* in a frame */ }
}

function choose(t, phase = null) {
  world.t = t;
  redo(phase && `#${phase} [data-t="${t}"]`);
}

// "#cell=elman&t=15&letters=231"
function follow(address) {
  const said = new URLSearchParams(address.replace(/^#/, "")), t = Number(said.get("t")) - 1;
  if (NETWORKS[said.get("cell")]) world.cell = said.get("cell");
  if (Number.isInteger(t) && t >= 0 && t < STEPS) world.t = t;
  const letters = [...(said.get("letters") ?? "")].map(Number);
  if (letters.length === LETTERS && letters.every((c) => c >= 1 && c <= SYMBOLS)) world.letters = letters;
  document.getElementById("cell").value = world.cell;
  compute();
  draw();
}

function begin() {
  prepareTheme();
  const choice = document.getElementById("cell");
  choice.append(...Object.entries(NETWORKS).map(([name, { label }]) => element("option", { value: name }, label)));
  choice.addEventListener("change", () => { world.cell = choice.value; redo(); });
  addEventListener("hashchange", () => follow(location.hash));
  addEventListener("message", ({ data }) => typeof data?.tinyrnn === "string" && follow(data.tinyrnn));
  addEventListener("resize", draw);
  follow(location.hash);
}

begin();
