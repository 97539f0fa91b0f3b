// Backpropagation through time over one sequence: the loop of tinyrnn's engine, around the steps that were printed from
// the cells' own sources. A network is { states, start, needs, forward, backward, … } (see network.py), p its weights by
// name, x one array of numbers for each time step.

const zeros = (n) => new Float64Array(n);
const withArrays = (values) => Object.fromEntries(Object.entries(values).map(([name, list]) => [name, Float64Array.from(list)]));

// The tape: states[t] is before step t, states[T] the last one; kept[t] is whatever step t has a name for.
function runForward(network, p, x) {
  const tape = { x, states: [withArrays(network.start)], kept: [] };
  for (const now of x) {
    const before = tape.states.at(-1), given = { x: now };
    for (const name in network.states) given[`${name}_prev`] = before[name];
    const made = network.forward(p, given);
    tape.kept.push(made);
    tape.states.push(Object.fromEntries(Object.keys(network.states).map((name) => [name, made[name]])));
  }
  return tape;
}

// What a step back asks for: what the step forward kept, or the state after or before it.
function asked(network, tape, t, name) {
  const made = tape.kept[t];
  if (name in network.states) return made[`own_${name}`] ?? made[name];
  if (name === "x") return tape.x[t];
  if (name.endsWith("_prev")) return tape.states[t][name.slice(0, -5)];
  return made[name];
}

// upstream(t): the gradient of the loss with respect to output t, or null. truncate: nothing is carried over a multiple
// of this many steps. states[t]: the gradient of each state after step t, of all that comes later; first: of the state
// before the first step; made[t]: whatever step t back has a name for.
function runBackward(network, p, tape, upstream, truncate = 0) {
  const names = Object.keys(network.states), output = names[0], back = { states: [], made: [] };
  let carried = Object.fromEntries(names.map((name) => [name, zeros(network.states[name])]));
  for (let t = tape.x.length - 1; t >= 0; t--) {
    const from = upstream(t) ?? zeros(network.states[output]);
    back.states[t] = { ...carried, [output]: carried[output].map((d, j) => d + from[j]) };
    const made = stepBackward(network, p, tape, t, carried, from);
    back.made[t] = made;
    const isCut = truncate && t > 0 && t % truncate === 0;
    carried = Object.fromEntries(names.map((name) => [name, isCut ? zeros(network.states[name]) : made[`d${name}_prev`]]));
  }
  back.first = carried;
  return back;
}

// One step back; carried: gradients of the new state, from later steps, by name; from: what comes from above.
function stepBackward(network, p, tape, t, carried, from) {
  const given = { upstream: from };
  for (const name in carried) given[`carried_d${name}`] = carried[name];
  for (const name of network.needs.backward) given[`tape_${name}`] = asked(network, tape, t, name);
  if (network.clips) {
    given.clipped = tape.states[t + 1][Object.keys(network.states)[0]];
    given.clip_scale = tape.kept[t].clip_scale;
  }
  return network.backward(p, given);
}

// The gradients of the inputs, one array a step, and of the weights, by name; of weights that are made of others, theirs.
function weightGradients(network, p, tape, back) {
  const totals = {}, inputs = [];
  for (const name in network.sums) totals[name] = zeros(network.sums[name][0].reduce((a, b) => a * b, 1));
  for (let t = 0; t < tape.x.length; t++) {
    const given = { x: tape.x[t], ...back.made[t] };
    for (const name of network.needs.gradients) given[`tape_${name}`] = asked(network, tape, t, name);
    const made = network.gradients(p, given);
    inputs.push(made.dx);
    for (const name in totals) addTo(totals[name], made[`sum_${name}`], ...network.sums[name]);
    for (const [name, ...sides] of network.products) {
      const [left, right] = sides.map(({ array, start, stop }) => (made[array] ?? given[array]).subarray(start, stop));
      left.forEach((a, i) => right.forEach((b, j) => (totals[name][i * right.length + j] += a * b)));
    }
  }
  return { inputs, params: totals };
}

// Adds an array, which is transposed where it isTurned.
function addTo(total, array, shape, isTurned) {
  if (!array) return;
  const [n, m] = shape;
  array.forEach((a, k) => (total[isTurned ? (k % n) * m + Math.floor(k / n) : k] += a));
}

const norm = (array) => Math.hypot(...array);
