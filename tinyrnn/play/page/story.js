// The story in parts, each with what it sets on the page: prose that moves the scrubber.

const STORY = [
  ["The question", () => {},
    () => `At step ${world.loss} the network answers, and is told how wrong it was: the loss. What it needed was read at step ${world.ask}. To learn the answer, it has to find out how the loss would have changed had step ${world.ask} been read differently: that is the gradient. It sets out at the loss with width 1 and has to come back ${world.loss - world.ask} steps. Press “Play back”.`],
  ["One road", () => { world.t = world.loss; },
    () => `The Elman network has one road back: h, all that it knows, made anew at every step from weights and a curve, tanh. On the way back each step multiplies the gradient by those weights and by the curve's slope. A little less than 1, ${world.loss - world.ask} times over, is nothing: ${share(computed.top.totals[world.ask - 1])} arrives. What happened at step ${world.ask} cannot be learned.`],
  ["A second lane", () => { world.t = world.loss; },
    () => `The LSTM has a second lane, c. There the gradient meets no weights and no curve, only a valve at each step: the forget gate f. The valves stand open, so it flows on, and dips into h at every step. ${share(computed.bottom.totals[world.ask - 1])} arrives. That is the whole trick.`],
  ["Shut the valve", () => { world.bottom.bias.f = -1; world.t = world.loss; },
    () => `Now the valves are set lower (the forget gate's bias is −1), and each lets a quarter through. The same LSTM now forgets faster than the Elman network: ${share(computed.bottom.totals[world.ask - 1])} arrives. Memory is not in the name of the network, it is in the gates. Drag the bias yourself.`],
  ["Push harder", () => { world.top.scale = 1.3; world.top.linear = true; world.t = world.loss; },
    () => `Could the Elman network be saved by larger weights? Here they are × 1.3, and tanh is off. Now each step multiplies by more than 1, and the gradient explodes: ${share(computed.top.totals[world.ask - 1])}. Too little or too much: with one road, there is hardly a place between. Try “clip” below, or turn tanh on again.`],
  ["Your turn", () => {},
    () => "Change anything: drag the flags, the bars of the input, the gates. Choose other networks: what does the unitary one do, whose weights only turn? Cut the way back every 5 steps, as truncated training does, and see what is lost."],
];
let part = -1;

function prepareStory() {
  document.getElementById("story").hidden = !SETTINGS.hasStory;
  document.getElementById("parts").append(...STORY.map(([title], k) =>
    element("li", {}, element("button", { type: "button", title, "aria-label": `${k + 1}: ${title}`, onclick: () => tell(k) }, String(k + 1)))));
  document.getElementById("next").addEventListener("click", () => tell(part + 1));
}

// Part k, from where everything is as it was at the beginning; isQuiet: its words, and nothing is set.
function tell(k, isQuiet = false) {
  part = Math.max(0, Math.min(STORY.length - 1, k));
  stop();
  const [title, set, words] = STORY[part];
  if (!isQuiet) {
    world = begun();
    set();
    rebuild();
  }
  document.getElementById("told").replaceChildren(element("b", {}, `${title}. `), words());
  document.querySelectorAll("#parts button").forEach((button, n) => {
    if (n === part) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  document.getElementById("next").disabled = part === STORY.length - 1;
  if (!isQuiet && world.t === world.loss) play();
}
