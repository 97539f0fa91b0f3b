// What the reader has set, and what follows from it.

const STEPS = SETTINGS.steps;
const SIDES = ["top", "bottom"];
const begun = () => ({
  t: 1, loss: STEPS, ask: SETTINGS.ask, truncate: 0, x: Float64Array.from(SETTINGS.x),
  inside: SETTINGS.inside, line: 0, unit: 1, // of the drawing: whose step, which line of the source, which unit
  top: side(SETTINGS.shown[0]), bottom: side(SETTINGS.shown[1]),
});
const side = (cell) => ({ cell, scale: NETWORKS[cell].scale, bias: { ...NETWORKS[cell].openings }, linear: NETWORKS[cell].linear, clip: false });
let world = begun();
const computed = {}; // side -> what compute() returned

// The network that a side shows, with the steps of the variant that its switches ask for.
function networkOf({ cell, linear, clip }) {
  const network = NETWORKS[cell];
  const wanted = [linear !== network.linear && "other", clip && "clip"].filter(Boolean).join(" ");
  return { ...network, ...network.variants[wanted] };
}

// Its weights as the sliders have them.
function weightsOf(network, { scale, bias }) {
  const p = withArrays(network.params);
  for (const name of network.recurrent) p[name] = p[name].map((w) => w * scale);
  for (const gate in bias) {
    const H = p.b.length / network.gates.length, at = network.gates.indexOf(gate) * H;
    p.b.fill(bias[gate], at, at + H);
  }
  return p;
}

// Forwards and backwards. widths[t][state]: the gradient's norm after step t; crossings[t]: [from, to, norm] of what goes
// from one part of the state to another on the way from step t to the one before.
function compute(setting) {
  const network = networkOf(setting), p = weightsOf(network, setting), names = Object.keys(network.states);
  const x = Array.from(world.x, (value) => Float64Array.of(value));
  const tape = runForward(network, p, x);
  const looks = (t) => (t === world.loss - 1 ? Float64Array.from(network.direction) : null);
  const back = runBackward(network, p, tape, looks, world.truncate);
  const widths = back.states.map((parts) => Object.fromEntries(names.map((name) => [name, norm(parts[name])])));
  const crossings = names.length < 2 ? [] : back.states.map((parts, t) => crossingsAt(network, p, tape, t, parts));
  const totals = widths.map((parts) => norm(Object.values(parts)));
  const largest = Math.max(...tape.states.map((state) => norm(state[names[0]])));
  return { network, p, tape, back, names, widths, crossings, totals, largest };
}

function crossingsAt(network, p, tape, t, parts) {
  if (t === 0 || (world.truncate && t % world.truncate === 0)) return [];
  const found = [], none = Object.fromEntries(Object.entries(parts).map(([name, d]) => [name, zeros(d.length)]));
  for (const from in parts) {
    if (!parts[from].some((d) => d !== 0)) continue;
    const made = stepBackward(network, p, tape, t, { ...none, [from]: parts[from] }, Object.values(none)[0]);
    for (const to in parts) if (to !== from) found.push([from, to, norm(made[`d${to}_prev`])]);
  }
  return found;
}

const mean = (array) => array.reduce((a, b) => a + b, 0) / array.length;
const openings = (result, gate) => result.tape.kept.map((made) => mean(made[gate]));

// 0.29 -> "29 %", 0.00003 -> "1 in 33,000": a share for readers who have seen no exponent.
function share(value) {
  if (!Number.isFinite(value)) return "∞";
  if (value >= 9.995) return `${grouped(value)} ×`;
  if (value >= 0.0995) return `${Math.round(value * 100)} %`;
  if (value >= 0.00095) return `${(value * 100).toPrecision(value >= 0.00995 ? 2 : 1)} %`;
  return value > 1e-15 ? `1 in ${inWords(1 / value)}` : "0 %";
}

function inWords(n) {
  for (const [size, word] of [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]]) if (n >= size) return `${grouped(n / size)} ${word}`;
  return grouped(n);
}

function grouped(n) {
  const digits = n >= 1e15 ? n.toExponential(0) : Number(n.toPrecision(2)).toFixed(n < 9.95 ? 1 : 0).replace(/\.0$/, "");
  return digits.includes("e") ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
