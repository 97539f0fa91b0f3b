// The recording, and questions to it. Its form is described in tinyrnn/stepping/recording.py, how it is packed in packing.py;
// nothing here changes it. Arrays are {shape, re, im}: re and im are lists of numbers in row order, im is null for real
// arrays, and both are null for an array that was too large to be kept.

const recording = await unpacked(document.getElementById("recording").textContent);
const { events, sites, sources, layers, steps, turn } = recording;
const count = events.site.length;
const known = []; // arrays that were asked for before

async function unpacked(text) {
  if (!globalThis.DecompressionStream) document.querySelector("main").replaceChildren("This page needs a browser of 2023 or later.");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const all = await new Response(stream).arrayBuffer();
  const length = new DataView(all).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(new Uint8Array(all, 4, length)));
  const numbers = fromUpperHalves(new Uint8Array(all, 4 + length));
  let at = 0;
  const next = (size) => numbers.subarray(at, (at += size));
  data.arrays = data.arrays.map(([shape, parts]) => {
    const size = shape.reduce((a, b) => a * b, 1);
    return { shape, parts: Array.from({ length: parts }, () => next(size)) };
  });
  return data;
}

// Numbers of which there are the four upper bytes, first the lowest of all of them.
function fromUpperHalves(bytes) {
  const size = bytes.length / 4, view = new DataView(new ArrayBuffer(8 * size));
  bytes.forEach((byte, k) => view.setUint8(8 * (k % size) + 4 + Math.floor(k / size), byte));
  return Float64Array.from({ length: size }, (_, n) => view.getFloat64(8 * n, true));
}

function arrayAt(index) {
  if (index === undefined || index < 0) return null;
  if (!known[index]) {
    const { shape, parts: [re = null, im = null] } = recording.arrays[index];
    known[index] = { index, shape, re: re && Array.from(re), im: im && Array.from(im) };
  }
  return known[index];
}

// The rows of a square array.
function rowsOf(index) {
  const { shape: [T], re } = arrayAt(index);
  return Array.from({ length: T }, (_, t) => re.slice(t * T, (t + 1) * T));
}

function eventAt(n) {
  const site = events.site[n];
  const [source, line, name, kind, reads = []] = sites[site];
  const { first, text } = sources[source];
  const [, wrong = null, mistake = null] = recording.accusations[events.wrong[n] - 1] ?? [];
  return {
    n, site, source, line, name, kind, reads, wrong, mistake,
    text: text[line - first],
    layer: events.layer[n],
    t: events.t[n],
    backward: n >= turn,
    value: arrayAt(events.value[n]),
    numerical: arrayAt(events.numerical[n]),
  };
}

// The first lines of the stretches that belong to one time step of one layer, in one direction.
const starts = stretches();

function stretches() {
  const found = [];
  for (let n = 0; n < count; n++) {
    const isNew = n === 0 || n === turn || events.t[n] !== events.t[n - 1] || events.layer[n] !== events.layer[n - 1];
    if (isNew) found.push(n);
  }
  return found;
}

// Where one stops, line by line: the arguments of one call are one stop, at the first of them.
const isGiven = (n) => sites[events.site[n]][3] === "given";
const sameCall = (n, k) => isGiven(n) && isGiven(k) && sites[events.site[n]][0] === sites[events.site[k]][0]
  && events.t[n] === events.t[k] && events.layer[n] === events.layer[k] && n >= turn === k >= turn
  && events.site[n] !== events.site[k];

function stopOf(n) {
  while (n > 0 && sameCall(n - 1, n)) n--;
  return n;
}

function afterStop(n) {
  do n++; while (n < count && sameCall(n - 1, n));
  return n;
}

// The arguments that one stop shows: the numbers of their lines.
function argumentsAt(n) {
  const found = [];
  if (isGiven(n)) for (let k = stopOf(n); k < afterStop(n); k++) found.push(k);
  return found;
}

// The number of the stretch that a line is in.
function stretchOf(n) {
  let low = 0, high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= n) low = middle;
    else high = middle;
  }
  return low;
}

// The first line from `from` on, after the last one beginning again, for which `fits(n)`; -1 if there is none.
function find(fits, from = 0) {
  for (let k = 0; k < count; k++) {
    const n = (from + k) % count;
    if (fits(n)) return n;
  }
  return -1;
}

const isNamed = (name) => (n) => sites[events.site[n]][2] === name;
const isAt = (t) => (n) => events.t[n] === t;
const isAccused = (n) => events.wrong[n] > 0;
const isInFunction = (source) => (n) => sites[events.site[n]][0] === source;

function isNotFinite(n) {
  const array = arrayAt(events.value[n]);
  return [...(array?.re ?? []), ...(array?.im ?? [])].some((x) => !Number.isFinite(x));
}

// As in Recording.find: what a backward line gave, by the size of its largest entry.
const isSized = (fits) => (n) => {
  if (n < turn || sites[events.site[n]][3] === "given") return false;
  const array = arrayAt(events.value[n]);
  return Boolean(array?.re?.length) && fits(largest(array));
};

function sizes(array) {
  return array.im ? array.re.map((x, k) => Math.hypot(x, array.im[k])) : array.re.map(Math.abs);
}

// The largest entry's size; NaN if one is not a number.
function largest(array) {
  return array?.re ? sizes(array).reduce((most, x) => (x > most || Number.isNaN(x) ? x : most), 0) : 0;
}

function norm(arrays) {
  return Math.sqrt(arrays.reduce((sum, array) => sum + sizes(array).reduce((s, x) => s + x * x, 0), 0));
}

// What the names that a line reads stood for when it ran: [[name, array]], of values that came before in the same call of
// the same function, and of weights.
function operands({ n, source, line, layer, t, name, kind, reads }) {
  const found = new Map();
  for (let k = n - 1; k >= 0 && k > n - 1000 && found.size < reads.length; k--) {
    const isElsewhere = events.layer[k] !== layer || (events.t[k] !== t && events.t[k] >= 0 && layer >= 0);
    if (isElsewhere || (n >= turn && k < turn && kind !== "given")) break;
    const [itsSource, itsLine, itsName, itsKind] = sites[events.site[k]];
    const isOfThisLine = itsLine === line && itsKind !== "given" && events.t[k] === t && itsName !== name;
    if (itsSource !== source || isOfThisLine || !reads.includes(itsName) || found.has(itsName)) continue;
    found.set(itsName, arrayAt(events.value[k]));
  }
  for (const [full, index] of Object.entries(recording.params ?? {})) {
    const [short, prefix] = [full.split(".").pop(), full.slice(0, Math.max(0, full.lastIndexOf(".")))];
    const isOfThisLayer = layer < 0 || prefix === layers[layer].name;
    if (reads.includes(short) && isOfThisLayer && !found.has(short)) found.set(short, arrayAt(index));
  }
  return reads.filter((own) => found.get(own)).map((own) => [own, found.get(own)]);
}

// The entry of `steps` for a layer and time step.
const stepOf = new Map(steps.map((step) => [`${step.layer} ${step.t}`, step]));
const stepAt = (layer, t) => stepOf.get(`${layer} ${t}`);
const normOf = (named) => norm(Object.values(named).map(arrayAt).filter((array) => array?.re));

// What the axes of an array stand for, where that is known.
function axesOf(name, shape) {
  const isWeight = [name, name.slice(1)].some((own) =>
    Object.keys(recording.results.params).some((full) => full.split(".").pop() === own));
  if (shape.length === 0) return "one number";
  const size = shape.join(" × ");
  if (isWeight) return shape.length === 2 ? `${size}: rows × columns` : size;
  if (shape.length === 1) return size;
  const last = shape[shape.length - 2] === recording.B ? "batch × units" : "";
  if (shape.length === 3 && last) return `${size}: time × ${last}`;
  return shape.length === 2 && last ? `${size}: ${last}` : size;
}

// A number as it is shown: four digits, a true minus sign.
function shown(x, digits = 4) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e-3 && size < 1e5 ? decimals(size, digits) : scientific(size, Math.min(digits, 9));
  return (x < 0 ? "−" : "") + text;
}

function decimals(size, digits) {
  const text = size.toPrecision(digits);
  return text.includes("e") ? String(Math.round(size)) : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function scientific(size, digits) {
  const [mantissa, exponent] = size.toExponential(Math.max(0, digits - 2)).split("e");
  return `${mantissa}e${exponent.replace("+", "").replace("-", "−")}`;
}

const exact = (x) => shown(x, 6);
