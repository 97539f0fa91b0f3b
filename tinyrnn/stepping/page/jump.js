// Jumping: to a time step, to a name, to a line that is accused, to what is not a number, above or below a threshold.

const jump = {
  all: document.getElementById("jump"),
  t: document.getElementById("jump-t"),
  name: document.getElementById("jump-name"),
  threshold: document.getElementById("jump-threshold"),
};

function prepareJump() {
  const names = [...new Set(events.site.map((site) => sites[site][2]))].sort();
  jump.name.append(...names.map((name) => element("option", { value: name }, name)));
  jump.t.max = recording.T - 1;
  const wrongs = events.wrong.filter(Boolean).length;
  document.getElementById("first-wrong").textContent = wrongs ? `First wrong line (${wrongs})` : "First wrong line";
  const acts = {
    "go-t": () => jumpToTime(),
    "go-name": () => jumpTo(isNamed(jump.name.value), `no line gives ${jump.name.value}`),
    "first-wrong": () => jumpTo(isAccused, "no line is wrong", 0),
    "next-wrong": () => jumpTo(isAccused, "no line is wrong"),
    "go-nan": () => jumpTo(isNotFinite, "every number is finite"),
    "go-above": () => jumpToSize((limit) => (x) => x > limit, "over"),
    "go-below": () => jumpToSize((limit) => (x) => x < limit, "under"),
  };
  for (const [id, act] of Object.entries(acts)) document.getElementById(id).addEventListener("click", act);
  document.getElementById("next-wrong").hidden = wrongs < 2;
  jump.t.addEventListener("keydown", (e) => e.key === "Enter" && jumpToTime());
  jump.threshold.addEventListener("keydown", (e) => e.key === "Enter" && acts["go-above"]());
}

function jumpTo(fits, otherwise, from = current.n + 1) {
  const n = find(fits, from % count);
  if (n < 0) return say(otherwise);
  say(n < from ? "going on from the first line" : "");
  go(n);
}

// In the direction in which the current line is, or else in the other one.
function jumpToTime() {
  const t = Number(jump.t.value);
  if (jump.t.value === "" || !Number.isInteger(t) || t < 0 || t >= recording.T) return say(`time steps are 0 to ${recording.T - 1}`);
  const backward = current.n >= turn;
  const n = find((k) => isAt(t)(k) && k >= turn === backward);
  if (n >= 0) return go(n);
  jumpTo(isAt(t), `no line of step ${t} was recorded`);
}

function jumpToSize(test, word) {
  const limit = typed(jump.threshold.value);
  if (limit === null || Number.isNaN(limit)) return say("type a threshold, such as 1e-3");
  jumpTo(isSized(test(limit)), `no backward line has its largest entry ${word} ${shown(limit)}`);
}
