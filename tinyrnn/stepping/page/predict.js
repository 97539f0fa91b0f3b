// Predict, then reveal: the value of a line that was not seen yet is hidden until the learner has typed it, or asks for
// it. One entry is asked for, which a press on another one changes, or, of a small array, all of them.

const predict = {
  toggle: document.getElementById("predict"),
  panel: document.getElementById("prediction"),
  form: document.getElementById("prediction-form"),
  inputs: document.getElementById("prediction-inputs"),
  every: document.getElementById("every"),
  said: document.getElementById("prediction-said"),
  score: document.getElementById("score"),
  isOn: false,
  limit: -1, // lines up to this one have been seen
  open: new Set(), // further lines that have
  answered: new Set(),
  picked: 0,
  asked: -1,
  ...{ right: 0, wrong: 0, given: 0 },
};
const SMALL = 12; // entries of an array all of which can be asked for
const NEAR = 0.01; // how far off a right answer may be, relatively

function preparePredict() {
  predict.toggle.addEventListener("click", togglePredict);
  predict.form.addEventListener("submit", (e) => {
    e.preventDefault();
    checkPrediction();
  });
  document.getElementById("reveal").addEventListener("click", revealPrediction);
  document.getElementById("go-on").addEventListener("click", goNext);
  predict.every.addEventListener("change", () => {
    predict.asked = -1;
    redraw();
  });
}

function togglePredict() {
  predict.isOn = !predict.isOn;
  predict.toggle.setAttribute("aria-pressed", String(predict.isOn));
  predict.limit = Math.max(predict.limit, current.n);
  predict.panel.hidden = !predict.isOn;
  say(predict.isOn ? "values of the lines to come are hidden until you have predicted them" : "all values are shown");
  showScore();
  redraw();
}

function isHiddenAt(n) {
  if (!predict.isOn || n <= predict.limit || predict.open.has(n)) return false;
  const array = arrayAt(events.value[n]);
  return sites[events.site[n]][3] !== "given" && Boolean(array?.re?.length);
}

function firstHidden(from, to) {
  if (!predict.isOn) return -1;
  for (let n = from; n <= to; n++) if (isHiddenAt(n)) return n;
  return -1;
}

// The entry that is asked for, of an array whose value is hidden; -1 if all are.
const pickedEntry = () => (asksForAll() ? -1 : predict.picked);
const asksForAll = () => predict.every.checked && current.value.re.length <= SMALL;

function pickEntry(entry) {
  if (!isHiddenAt(current.n) || asksForAll()) return;
  predict.picked = entry % current.value.re.length;
  predict.asked = -1;
  redraw();
}

function drawPrediction(event) {
  if (!predict.isOn) return;
  const isHidden = isHiddenAt(event.n);
  predict.form.hidden = !isHidden;
  document.getElementById("go-on").hidden = isHidden;
  if (predict.asked === event.n) return;
  const isSame = predict.last === event.n;
  if (!isSame) predict.said.replaceChildren();
  predict.last = event.n;
  if (!isHidden) {
    predict.asked = -1;
    if (!isSame) predict.said.textContent = event.kind === "given" ? "An argument: nothing to predict." : "This one has been seen.";
    return;
  }
  if (!isSame && event.value.re.length <= predict.picked) predict.picked = 0;
  predict.asked = event.n;
  predict.every.disabled = event.value.re.length > SMALL;
  predict.inputs.replaceChildren(...predictionInputs(event));
  if (!isSame && takesFocus()) predict.inputs.querySelector("input").focus({ preventScroll: true });
}

// Whoever comes by keyboard, or from this panel, can type at once; whoever is busy elsewhere on the page is left there.
const takesFocus = () => document.activeElement === document.body || predict.panel.contains(document.activeElement);

function predictionInputs({ name, value }) {
  const entries = asksForAll() ? value.re.map((_, k) => k) : [predict.picked];
  const parts = value.im ? ["re", "im"] : ["re"];
  return entries.flatMap((entry) => parts.map((part) => {
    const index = value.shape.length ? `[${unravel(entry, value.shape).join(", ")}]` : "";
    const label = `${value.im ? `${part === "re" ? "Re" : "Im"} ` : ""}${name}${index} =`;
    const input = element("input", { type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", size: 9 });
    Object.assign(input, { entry, part });
    return element("label", {}, label, input);
  }));
}

// A number as a person types it: a decimal comma, a true minus sign, nan and inf will do. NaN is typed; null is nothing.
function typed(text) {
  const plain = text.trim().toLowerCase().replace("−", "-").replace(",", ".").replace("∞", "inf");
  if (plain === "nan") return NaN;
  const infinite = /^([+-]?)inf(inity)?$/.exec(plain);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(plain) ? Number(plain) : null;
}

function checkPrediction() {
  if (!isHiddenAt(current.n)) return;
  const inputs = [...predict.inputs.querySelectorAll("input")];
  const answers = inputs.map((input) => typed(input.value));
  const missing = answers.indexOf(null);
  if (missing >= 0) {
    predict.said.textContent = "Type a number, such as −0.25 or 1e-3.";
    return inputs[missing].focus();
  }
  const scale = largest(current.value);
  const results = inputs.map(({ entry, part }, k) => judged(answers[k], current.value[part][entry], scale));
  const isRight = results.every((result) => result.isRight);
  if (!predict.answered.has(current.n)) predict[isRight ? "right" : "wrong"]++;
  predict.answered.add(current.n);
  const label = (k) => (inputs.length > 1 ? `${inputs[k].parentElement.textContent.replace(" =", "")}: ` : "");
  predict.said.replaceChildren(...results.map(({ text, isRight: good }, k) =>
    element("p", { class: good ? "right" : "off" }, `${good ? "✓" : "✗"} ${label(k)}${text}`)));
  showScore();
  if (isRight) openCurrent();
  else inputs[results.findIndex((result) => !result.isRight)].select();
}

// How far off an answer is, and what a wrong one looks like. scale: the array's largest entry.
function judged(answer, truth, scale) {
  if (!Number.isFinite(truth) || !Number.isFinite(answer)) {
    const isRight = Object.is(answer, truth);
    return { isRight, text: isRight ? "right" : Number.isFinite(truth) ? "it is a finite number" : "it is not a finite number" };
  }
  const off = Math.abs(answer - truth);
  const isRight = off <= NEAR * Math.abs(truth) || (truth === 0 ? off <= 1e-6 * scale : false);
  const share = off / Math.abs(truth);
  const relative = truth === 0 ? "" : share < 10 ? `, ${percent(share)} of the value` : `, ${shown(share, 3)} times the value`;
  const text = `off by ${shown(off, 3)}${relative}`;
  return { isRight, text: isRight ? `right: ${text}` : [text, hint(answer, truth)].filter(Boolean).join("; ") };
}

const percent = (share) => `${shown(100 * share, 2)} %`;

function hint(answer, truth) {
  if (truth === 0) return "it is exactly zero";
  if (answer === 0) return "it is not zero";
  const ratio = answer / truth, size = Math.abs(ratio);
  const sign = ratio < 0 ? "the sign is the other one" : "";
  const near = (x) => Math.abs(size / x - 1) < 2 * NEAR;
  const ten = Math.round(Math.log10(size));
  if (near(1)) return sign;
  const factor = [2, 3, 4, recording.B, recording.T].find((x) => x > 1 && (near(x) || near(1 / x)));
  if (ten !== 0 && near(10 ** ten)) return [sign, `the decimal point is ${Math.abs(ten)} to the ${ten > 0 ? "left" : "right"}`].filter(Boolean).join("; ");
  if (factor) return [sign, `${near(factor) ? "too large" : "too small"} by a factor of ${factor}`].filter(Boolean).join("; ");
  return [sign, size > 1 ? "too large in size" : "too small in size"].filter(Boolean).join("; ");
}

function revealPrediction() {
  if (!isHiddenAt(current.n)) return;
  if (!predict.answered.has(current.n)) predict.given++;
  predict.said.textContent = "Shown.";
  showScore();
  openCurrent();
}

function openCurrent() {
  predict.open.add(current.n);
  predict.asked = -1;
  redraw();
  requestAnimationFrame(() => document.getElementById("go-on").focus());
}

function showScore() {
  const { right, wrong, given } = predict;
  predict.score.textContent = `${right} of ${right + wrong} right${given ? `, ${given} shown` : ""}`;
}
