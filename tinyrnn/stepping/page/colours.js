// Drawing on canvases: the colours of the style sheet, sharp pixels, and one cell of a heat map.

let palette = {};

// Reads the colours anew; after a change between light and dark.
function readColours() {
  const probe = document.body.appendChild(element("span"));
  probe.style.forcedColorAdjust = "none"; // a picture keeps its colours where those of words are the reader's own
  const names = ["ink", "muted", "line", "surface", "plus", "minus", "accent", "wrong", "heat", "forward", "backward"];
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    palette[name] = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  }
  probe.remove();
}

const css = (rgb) => `rgb(${rgb.map(Math.round).join(" ")})`;
const mixed = (from, to, share) => from.map((x, k) => x + (to[k] - x) * share);

// Gives a canvas a size in CSS pixels, as sharp as the screen is; returns its context, cleared.
function scaled(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pixels = canvas.getContext("2d");
  pixels.setTransform(ratio, 0, 0, ratio, 0, 0);
  pixels.clearRect(0, 0, width, height);
  return pixels;
}

// One number of a heat map; a stroke across it says that it is negative, a cross that it is no number. null: hidden.
function drawCell(pixels, left, top, side, x, scale, isPicked) {
  const inner = side > 5 ? side - 1 : side;
  const hue = x === null || !Number.isFinite(x) ? palette.muted : x < 0 ? palette.minus : palette.plus;
  const share = x === null ? 0.25 : Number.isFinite(x) ? 0.06 + 0.74 * weight(x, scale) : 1;
  pixels.fillStyle = css(mixed(palette.surface, hue, x === 0 ? 0.05 : share));
  pixels.fillRect(left, top, inner, inner);
  if (side > 5 && (x < 0 || Number.isNaN(x))) {
    pixels.strokeStyle = css(mixed(palette.surface, palette.ink, 0.7));
    pixels.beginPath();
    pixels.moveTo(left + 1.5, top + inner - 1.5);
    pixels.lineTo(left + inner - 1.5, top + 1.5);
    if (Number.isNaN(x)) pixels.lineTo(left + inner - 1.5, top + inner - 1.5);
    pixels.stroke();
  }
  if (isPicked) {
    pixels.strokeStyle = css(palette.ink);
    pixels.lineWidth = 2;
    pixels.strokeRect(left + 1, top + 1, inner - 2, inner - 2);
    pixels.lineWidth = 1;
  }
}

// From the smallest to the largest positive number, by decades, of which there are at least 2 and at most 8: share(x) is
// 0 to 1, 0 for what is not positive.
function logScale(numbers, decades = 0) {
  let most = 0, least = Infinity;
  for (const x of numbers) {
    if (!(x > 0) || !Number.isFinite(x)) continue;
    if (x > most) most = x;
    if (x < least) least = x;
  }
  const floor = decades ? most / 10 ** decades : Math.max(Math.min(least, most / 100), most * 1e-8);
  const [low, high] = [Math.log10(floor), Math.log10(most)];
  const share = (x) => (x > 0 ? Math.min(1, Math.max(0, high > low ? (Math.log10(x) - low) / (high - low) : 1)) : 0);
  return { least: floor, most, share, isEmpty: most === 0, isFloor: least < floor };
}
