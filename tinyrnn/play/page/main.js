// Where the page is, what has changed, and the keys.

const where = document.getElementById("where"), scrubber = document.getElementById("scrubber");
const still = matchMedia("(prefers-reduced-motion: reduce)");
let playing = null;
const due = new Set(); // sides to be computed in the next frame

// The networks whose settings have changed anew, once a frame at most.
function recompute(names = SIDES) {
  if (!due.size) {
    requestAnimationFrame(() => {
      for (const name of due) computed[name] = compute(world[name]);
      due.clear();
      draw();
    });
  }
  names.forEach((name) => due.add(name));
}

function draw() {
  drawInput();
  for (const name of SIDES) {
    drawNetwork(name);
    sayArrival(name);
  }
  for (const range of document.querySelectorAll("input[data-knob][type=range]")) range.say();
  document.documentElement.dataset.ready = "yes";
  moved();
}

// After other networks were chosen, or other settings.
function rebuild() {
  for (const name of SIDES) computed[name] = compute(world[name]);
  for (const name of SIDES) buildNetwork(name);
  buildShared();
  buildCell();
  draw();
}

// The scrubber has moved: t is where the gradient has come back to.
function moved() {
  scrubber.value = world.t;
  const steps = world.loss - world.t;
  where.textContent = steps < 0 ? `step ${world.t}: after the loss, where there is no gradient`
    : steps === 0 ? `step ${world.t}: the gradient sets out from the loss` : `step ${world.t}: ${steps} step${steps > 1 ? "s" : ""} back from the loss`;
  scrubber.setAttribute("aria-valuetext", `${where.textContent}. ${SIDES.map((name) => `${computed[name].network.label}: ${share(computed[name].totals[world.t - 1])}`).join(", ")}`);
  for (const name of SIDES) moveFront(name);
  showNumbers();
  keepAddress();
}

function goTo(t) {
  world.t = Math.max(1, Math.min(STEPS, t));
  moved();
}

function setFlag(key, t) {
  world[key] = Math.max(1, Math.min(STEPS, t));
  recompute();
}

function setBar(t, value) {
  chosen = t;
  world.x[t - 1] = Math.max(-1.2, Math.min(1.2, value));
  recompute();
}

// playing ------------------------------------------------------------------------------------------------------------

function stop() {
  cancelAnimationFrame(playing);
  playing = null;
  document.getElementById("play").textContent = "▶ Play back";
}

// From the loss back to the first step; at once where motion is unwelcome.
function play() {
  stop();
  if (still.matches) return goTo(1);
  if (world.t <= 1 || world.t > world.loss) world.t = world.loss;
  document.getElementById("play").textContent = "❚❚ Pause";
  const [from, begin] = [world.t, performance.now()];
  const frame = (now) => {
    const t = from - Math.floor((now - begin) / 130);
    if (t !== world.t) goTo(t);
    if (world.t <= 1) return stop();
    playing = requestAnimationFrame(frame);
  };
  moved();
  playing = requestAnimationFrame(frame);
}

const togglePlay = () => (playing === null ? play() : stop());

// the address, which says where one is -------------------------------------------------------------------------------

function keepAddress() {
  const said = new URLSearchParams({ top: world.top.cell, bottom: world.bottom.cell, t: world.t });
  if (world.ask !== SETTINGS.ask) said.set("ask", world.ask);
  if (world.loss !== STEPS) said.set("loss", world.loss);
  if (world.inside !== SETTINGS.inside) said.set("inside", world.inside);
  if (world.line) said.set("line", world.line);
  if (world.truncate) said.set("truncate", world.truncate);
  for (const name of SIDES) {
    for (const [gate, b] of Object.entries(world[name].bias)) if (b !== NETWORKS[world[name].cell].openings[gate]) said.set(`${name}.${gate}`, b);
    if (world[name].scale !== NETWORKS[world[name].cell].scale) said.set(`${name}.scale`, world[name].scale);
    const begins = side(world[name].cell);
    for (const key of ["linear", "clip"]) if (world[name][key] !== begins[key]) said.set(`${name}.${key}`, Number(world[name][key]));
  }
  clearTimeout(keepAddress.timer);
  keepAddress.timer = setTimeout(() => {
    try { history.replaceState(null, "", `#${said}`); } catch { /* a page inside a page may have no address of its own */ }
  }, 250);
}

// Go where an address says: "#top=elman&bottom=lstm&t=9&bottom.f=-2"; "cell" is the lower network. With "embed" the
// rivers stand alone, for a page that has its own words; with "embed=knobs" they keep what can be moved. "reset" begins
// with everything as it was.
function follow(address) {
  const said = new URLSearchParams(address.replace(/^#/, ""));
  if (![...said].length) return false;
  if (said.has("reset")) world = begun();
  const number = (key, low, high) => { const n = Number(said.get(key)); return said.has(key) && Number.isFinite(n) ? Math.max(low, Math.min(high, n)) : null; };
  for (const [key, name] of [["top", "top"], ["bottom", "bottom"], ["cell", "bottom"]]) {
    if (NETWORKS[said.get(key)] && world[name].cell !== said.get(key)) world[name] = side(said.get(key));
  }
  for (const key of ["t", "ask", "loss"]) world[key] = Math.round(number(key, 1, STEPS) ?? world[key]);
  if (SIDES.includes(said.get("inside"))) world.inside = said.get("inside");
  if (said.has("line")) world.line = number("line", 0, 1e6);
  world.truncate = Math.round(number("truncate", 0, 15) ?? world.truncate);
  for (const name of SIDES) {
    for (const gate in world[name].bias) world[name].bias[gate] = number(`${name}.${gate}`, -6, 6) ?? world[name].bias[gate];
    world[name].scale = number(`${name}.scale`, 0, 3) ?? world[name].scale;
    for (const key of ["linear", "clip"]) if (said.has(`${name}.${key}`) && world[name][key] !== null) world[name][key] = said.get(`${name}.${key}`) === "1";
  }
  if (said.has("embed")) document.documentElement.dataset.embedded = said.get("embed");
  rebuild();
  return true;
}

// keys --------------------------------------------------------------------------------------------------------------

const KEYS = {
  " ": togglePlay, ArrowLeft: () => goTo(world.t - 1), ArrowRight: () => goTo(world.t + 1),
  Home: () => goTo(1), End: () => goTo(world.loss), n: () => tell(part + 1), "?": () => document.getElementById("help").showModal(),
};

function pressed(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
  if (e.target.matches("select, input") || (e.key === " " && e.target.matches("button, summary"))) return;
  const act = KEYS[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!act) return;
  e.preventDefault();
  stop();
  act();
}

// The thumb of the scrubber stands above the step in the pictures.
function alignScrubber() {
  const half = 8, border = 13;
  scrubber.style.marginLeft = `${GUTTER + border - half}px`;
  scrubber.style.width = `${width - GUTTER - MARGIN + 2 * half}px`;
}

function resized() {
  const found = document.getElementById("input").clientWidth;
  if (!found || found === width) return;
  width = found;
  alignScrubber();
  buildCell();
  draw();
}

function begin() {
  scrubber.max = STEPS;
  width = document.getElementById("input").clientWidth;
  prepareTheme();
  document.getElementById("show-help").addEventListener("click", KEYS["?"]);
  document.getElementById("play").addEventListener("click", togglePlay);
  scrubber.addEventListener("input", () => { stop(); goTo(Number(scrubber.value)); });
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", () => follow(location.hash));
  addEventListener("message", ({ data }) => typeof data?.tinyrnn === "string" && follow(data.tinyrnn));
  alignScrubber();
  prepareStory();
  prepareCell();
  rebuild();
  tell(follow(location.hash || (document.documentElement.dataset.at ?? "")) ? STORY.length - 1 : 0, true);
  new ResizeObserver(resized).observe(document.getElementById("input"));
}

begin();
