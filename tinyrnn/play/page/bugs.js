// Ten rounds: a line is accused, a verdict comes. Two points at the first attempt, one at the second.

const POINTS = [2, 1], SIGNIFICANT = 1e-9;
const $ = (id) => document.getElementById(id);
let seed = Object.keys(SETS)[0], points = [], attempts = 0;

const round = () => ROUNDS[SETS[seed][points.length]];

function show() {
  const { cell, lines, table, forwards } = round();
  attempts = 0;
  $("which").textContent = `Round ${points.length + 1} of ${SETS[seed].length}`;
  $("source-title").textContent = `step_backward of ${cell}`;
  $("lines").replaceChildren(...lines.map(([number, text], k) => element("li", {},
    element("button", { type: "button", "data-k": k, disabled: text.startsWith("return"), onclick: () => accuse(k) }, element("span", {}, `${number} `), text))));
  const columns = ["gradient of", ...table[0][1].slice(1).map((_, t) => `t = ${t}`), "total"];
  $("check").replaceChildren(element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...table.map(([what, errors]) => element("tr", {}, element("th", { scope: "row" }, what),
      ...errors.map((error) => element("td", { class: Number(error) > SIGNIFICANT || error === "nan" ? "off" : "" }, error))))));
  $("forwards").textContent = forwards.join("\n");
  $("verdict").className = "";
  $("verdict").replaceChildren(element("p", { class: "muted" }, "Press the line that you accuse."));
  marks();
  document.documentElement.dataset.ready = "yes";
}

function marks() {
  const sign = { 2: ["full", "2"], 1: ["half", "1"], 0: ["none", "✗"] };
  $("marks").replaceChildren(...SETS[seed].map((_, k) => {
    const [kind, text] = k < points.length ? sign[points[k]] : [k === points.length ? "now" : "", ""];
    return element("li", { class: kind }, text);
  }));
  $("score").textContent = `${points.reduce((a, b) => a + b, 0)} points`;
}

function accuse(k) {
  const found = round(), isRight = k === found.wrong;
  document.querySelector(`[data-k="${k}"]`).classList.add(isRight ? "culprit" : "accused");
  if (!isRight && attempts++ === 0) {
    document.querySelector(`[data-k="${k}"]`).disabled = true;
    $("verdict").className = "wrong";
    $("verdict").replaceChildren(element("p", {}, element("b", {}, "Not that one. "), ...indexed(found.question)), element("p", { class: "muted" }, "One more attempt."));
    return;
  }
  reveal(found, isRight);
}

// Words with each index where it belongs: c_{t-1}, W_n. Names of the source, such as dh_prev, stay as they are.
function indexed(words) {
  return words.split(/_(\{[^}]*\}|[a-z]\b)/).map((part, k) => (k % 2 ? element("sub", {}, part.replace(/[{}]/g, "").replace("-", "−")) : part));
}

function reveal(found, isRight) {
  const gained = isRight ? POINTS[attempts] : 0, isLast = points.length + 1 === SETS[seed].length;
  points.push(gained);
  document.querySelectorAll("#lines button").forEach((button) => { button.disabled = true; });
  document.querySelector(`[data-k="${found.wrong}"]`).classList.add("culprit");
  $("verdict").className = isRight ? "right" : "wrong";
  $("verdict").replaceChildren(
    element("p", {}, element("b", {}, isRight ? `Yes, ${gained === 2 ? "two points" : "one point"}. ` : `It was line ${found.lines[found.wrong][0]}. `), ...indexed(`${found.title}.`)),
    element("p", {}, "It was ", element("code", {}, found.right)),
    element("p", {}, ...indexed(found.hint)),
    element("p", { class: "muted" }, `The mistake is called ${found.name}. More in the lecture “${found.about}”: `, element("code", {}, `tinyrnn read ${found.section}`)),
    element("button", { type: "button", class: "main", id: "next", onclick: isLast ? end : show }, isLast ? "The result" : "Next round"));
  marks();
  $("next").focus();
}

function end() {
  const sum = points.reduce((a, b) => a + b, 0), most = POINTS[0] * points.length;
  $("end-title").textContent = `${sum} of ${most} points`;
  $("end-words").textContent = sum === most ? "Not one has escaped you." : sum >= 0.7 * most ? "A good eye." : "Each of these has been written by somebody who knew better, too.";
  $("link").value = `${sum} of ${most} points in “${document.title}”, set ${seed}: ${location.href.split("#")[0]}#seed=${seed}`;
  $("end").showModal();
}

function start(chosen) {
  seed = SETS[chosen] ? chosen : Object.keys(SETS)[0];
  points = [];
  $("seed").value = seed;
  try { history.replaceState(null, "", `#seed=${seed}`); } catch { /* in a frame */ }
  show();
}

const follow = (address) => start(new URLSearchParams(address.replace(/^#/, "")).get("seed"));

function begin() {
  prepareTheme();
  $("seed").append(...Object.keys(SETS).map((each) => element("option", { value: each }, each)));
  $("seed").addEventListener("change", () => start($("seed").value));
  $("again").addEventListener("click", () => start(Object.keys(SETS)[(Object.keys(SETS).indexOf(seed) + 1) % Object.keys(SETS).length]));
  addEventListener("hashchange", () => follow(location.hash));
  addEventListener("message", ({ data }) => typeof data?.tinyrnn === "string" && follow(data.tinyrnn));
  follow(location.hash);
}

begin();
