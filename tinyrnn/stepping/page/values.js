// The value of the current line beside the numerical gradient, what the names in the line stand for, and the gradients
// of the time step: arriving, leaving, and the weight gradients so far.

const values = {
  name: document.getElementById("name"),
  shape: document.getElementById("shape"),
  error: document.getElementById("error"),
  accused: document.getElementById("accused"),
  numerical: document.getElementById("numerical"),
  difference: document.getElementById("difference"),
  operands: document.getElementById("operands"),
  step: document.getElementById("step"),
};

function prepareValues() {
  values.view = new ArrayView(document.getElementById("array"), { onpick: (entry) => pickEntry(entry) });
  values.numericalView = new ArrayView(values.numerical, { columns: 8 });
  values.differenceView = new ArrayView(values.difference, { columns: 8 });
  values.operandList = new NamedArrays(values.operands);
  values.groups = ["arriving", "leaving", "running"].map((what) => [what, new NamedArrays(document.getElementById(what))]);
}

// A list of arrays with their names and sizes.
class NamedArrays {
  constructor(parent) {
    this.parent = parent;
    this.names = "";
    this.lists = new Map(); // names -> the rows that were built for them
  }

  show(named, options = {}) {
    const names = named.map(([name]) => name).join();
    if (names !== this.names) {
      this.names = names;
      if (!this.lists.has(names)) this.lists.set(names, named.map(([name]) => this.row(name)));
      this.rows = this.lists.get(names);
      this.parent.replaceChildren(...this.rows.map(({ box }) => box));
    }
    named.forEach(([name, array], k) => {
      const { size, view } = this.rows[k];
      view.show(array, { label: name, ...options });
      const text = options.hidden || !array?.re ? "" : options.norms ? `norm ${shown(norm([array]))}` : array.shape.join(" × ");
      if (size.textContent !== text) size.textContent = text;
    });
  }

  row(name) {
    const size = element("span", { class: "size" });
    const box = element("div", { class: "named" }, element("h4", {}, element("code", {}, name), size));
    return { box, size, view: new ArrayView(box, { columns: 6 }) };
  }
}

function drawValues(event, isHidden, picked) {
  values.name.textContent = event.name;
  const kinds = { given: "an argument", assigned: "is assigned", added: "after the addition", changed: "changed in place" };
  values.shape.textContent = event.value ? `${axesOf(event.name, event.value.shape)} · ${kinds[event.kind]}` : "the line fails";
  const isCompared = event.numerical?.re && event.value?.re && String(event.numerical.shape) === String(event.value.shape);
  const scale = Math.max(largest(event.value), isCompared ? largest(event.numerical) : 0) || 1;
  values.view.show(event.value, { label: `${event.name}, value of the line`, scale, hidden: isHidden, picked });
  drawNumerical(event, isCompared && !isHidden, scale);
  if (isHidden) values.error.textContent = "";
  values.accused.hidden = !event.wrong;
  values.accused.querySelector("p").textContent = event.wrong ?? "";
  drawMistake(event.mistake);
  const given = argumentsAt(event.n).filter((n) => n !== event.n).map((n) => [eventAt(n).name, arrayAt(events.value[n])]);
  values.operands.previousElementSibling.textContent = event.kind === "given" ? "The other arguments" : "In this line";
  values.operandList.show(event.kind === "given" ? given : operands(event));
  values.operands.parentElement.hidden = !values.operandList.names;
}

// The known mistake that a line is, what to ask oneself, and where it is explained.
function drawMistake(mistake) {
  const list = values.accused.querySelector("dl");
  list.hidden = !mistake;
  if (!mistake) return;
  const terms = { "Known mistake": mistake.title, "Question": mistake.question, "Lecture": mistake.section_title };
  list.replaceChildren(...Object.entries(terms).flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
  const read = element("code", {}, `tinyrnn read ${mistake.section}`);
  list.lastElementChild.append(": ", read);
}

function drawNumerical(event, isCompared, scale) {
  values.numerical.parentElement.hidden = values.difference.parentElement.hidden = !isCompared;
  values.error.className = "";
  if (!isCompared) {
    const why = event.numerical ? "a numerical gradient of another shape" : "no numerical gradient here";
    values.error.textContent = event.backward ? why : "";
    return;
  }
  const difference = subtracted(event.value, event.numerical);
  const relative = largest(difference) / scale;
  values.numericalView.show(event.numerical, { label: "numerical gradient", scale });
  values.differenceView.show(difference, { label: "difference", scale });
  const isSmall = relative < 1e-6;
  values.error.className = isSmall ? "agrees" : "differs";
  const by = `${percent(relative)} of the largest entry`;
  values.error.textContent = isSmall ? "✓ agrees with the numerical gradient" : `✗ differs from the numerical gradient by ${by}`;
}

function subtracted(a, b) {
  const minus = (x, y) => x && x.map((entry, k) => entry - (y?.[k] ?? 0));
  return { index: -2, shape: a.shape, re: minus(a.re, b.re), im: a.im || b.im ? minus(a.im ?? a.re.map(() => 0), b.im) : null };
}

// Both what arrives and what leaves have the same scale, so that one can see what is lost on the way.
function drawStep(event, isHidden) {
  const step = event.backward ? stepAt(event.layer, event.t) : undefined;
  const title = step ? `The gradients of step ${event.t}` : "The gradients of the step";
  document.getElementById("step-title").textContent = title;
  document.getElementById("step-none").hidden = Boolean(step);
  document.getElementById("step-none").textContent = !event.backward
    ? "They come on the way back."
    : "This line belongs to no time step of a recurrent layer.";
  values.step.hidden = !step;
  if (!step) return;
  const scale = Math.max(...[...Object.values(step.arriving), ...Object.values(step.leaving)].map((k) => largest(arrayAt(k)))) || 1;
  for (const [what, list] of values.groups) {
    const after = what === "leaving" ? "_prev" : "";
    const named = Object.entries(step[what]).map(([name, index]) => [`d${name}${after}`, arrayAt(index)]);
    const hidden = isHidden && what !== "arriving";
    list.show(named, { hidden, norms: true, ...(what === "running" ? {} : { scale }) });
    list.parent.parentElement.hidden = !named.length;
  }
}
