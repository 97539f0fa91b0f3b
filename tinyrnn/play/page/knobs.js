// Sliders and switches: those of each network, and those for both.

const WORDS = { i: "input gate", f: "forget gate", o: "output gate", r: "reset gate", z: "update gate" };

// A slider with its words, and its value as said(value) has it, which may depend on what is computed.
function knob(key, words, { min, max, step, value }, changed, said) {
  const output = element("output", { class: "number" });
  const range = element("input", { type: "range", min, max, step, value, "data-knob": key });
  range.say = () => {
    output.textContent = said(Number(range.value));
    range.setAttribute("aria-valuetext", output.textContent);
  };
  range.addEventListener("input", () => { changed(Number(range.value)); range.say(); });
  range.say();
  return element("label", { class: "knob" }, element("span", {}, words), output, range);
}

function buildNetwork(name) {
  const setting = world[name], network = NETWORKS[setting.cell];
  const options = Object.keys(NETWORKS).map((cell) => element("option", { value: cell, selected: cell === setting.cell }, NETWORKS[cell].label));
  const choose = element("select", { "aria-label": name === "top" ? "upper network" : "lower network" }, ...options);
  choose.addEventListener("change", () => {
    world[name] = side(choose.value);
    rebuild();
  });
  const knobs = element("div", { class: "knobs" });
  const set = (change) => { change(); recompute([name]); };
  for (const gate in network.openings) {
    const said = (b) => `bias ${signed(b)}, open ${Math.round(100 * mean(openings(computed[name], gate)))} %`;
    knobs.append(knob(`${name}.${gate}`, `${WORDS[gate] ?? "gate"} ${gate}`, { min: -6, max: 6, step: 0.1, value: setting.bias[gate] },
      (b) => set(() => (setting.bias[gate] = b)), said));
  }
  if (network.recurrent.length) {
    knobs.append(knob(`${name}.scale`, "recurrent weights", { min: 0, max: 3, step: 0.05, value: setting.scale },
      (s) => set(() => (setting.scale = s)), (s) => `× ${s.toFixed(2)}`));
  }
  else knobs.append(element("p", { class: "without" }, "recurrent weights: this cell has no matrix of them that could be scaled by itself"));
  const toggle = (key, words, isOn, flip) => {
    const box = element("input", { type: "checkbox", checked: isOn === true, disabled: isOn === null, "data-knob": `${name}.${key}` });
    box.addEventListener("change", () => set(() => flip(box.checked)));
    return element("label", { class: "switch" }, box, ...words);
  };
  const hasTanh = setting.linear !== null;
  knobs.append(toggle("tanh", [hasTanh ? "squash with tanh" : "squash with tanh: this cell has none"], hasTanh ? !setting.linear : null, (on) => (setting.linear = !on)));
  knobs.append(toggle("clip", [element("span", {}, `clip: ‖${Object.keys(network.states)[0]}‖ at most ${SETTINGS.clip} (now `, element("span", { class: "largest" }), ")")], setting.clip, (on) => (setting.clip = on)));
  document.getElementById(name).replaceChildren(
    element("div", {}, element("h2", {}, choose), element("p", { class: "arrives" })),
    svg("svg", { class: "plot", role: "img" }), knobs);
}

function buildShared() {
  const set = (change) => { change(); recompute(); };
  document.getElementById("shared").replaceChildren(
    knob("truncate", "cut the way back every … steps", { min: 0, max: 15, step: 1, value: world.truncate },
      (k) => set(() => (world.truncate = k)), (k) => (k ? `${k}` : "never")),
    knob("loudness", "input of the other steps", { min: 0, max: 3, step: 0.1, value: 1 },
      (k) => set(() => (world.x = Float64Array.from(SETTINGS.x, (x, t) => (t === world.ask - 1 ? x : Math.max(-1.2, Math.min(1.2, x * k)))))), (k) => `× ${k.toFixed(1)}`),
    element("button", { type: "button", id: "reset", onclick: () => { world = begun(); rebuild(); } }, "Everything as it was"));
}

const signed = (b) => `${b < 0 ? "−" : "+"}${Math.abs(b).toFixed(1)}`;

// What arrives at the step that is asked for, in words; and how large the state becomes, which a clip may cut.
function sayArrival(name) {
  document.querySelector(`#${name} .largest`).textContent = plain(computed[name].largest);
  const arrived = computed[name].totals[world.ask - 1], lag = world.loss - world.ask;
  const cut = world.truncate && Math.floor((world.loss - 1) / world.truncate) !== Math.floor((world.ask - 1) / world.truncate);
  const meaning = lag < 0 ? "step asked for lies after the loss"
    : cut ? "cut off before it arrives" : arrived >= 10 ? "explodes: one step of training would wreck it"
    : arrived >= 0.05 ? "training can feel this input" : arrived >= 0.001 ? "training hardly feels this input" : "training cannot feel this input";
  document.querySelector(`#${name} .arrives`).replaceChildren(
    element("strong", {}, share(arrived)), ` of the gradient gets back to step ${world.ask}: ${meaning}`);
}
