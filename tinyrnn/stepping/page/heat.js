// Arrays on the page. Few numbers are a table with coloured cells; many are a picture with one small cell for each, whose
// numbers appear under the pointer and the arrow keys, and which unfolds into a table. Colour says sign and size; the sign
// is a minus sign and hatching too.

const WRITTEN = 64; // entries of an array whose numbers are all written
const COLUMNS = 16; // and columns, where there is room

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// The two-dimensional slices of an array: [{label, rows, columns, offset}].
function slices(shape) {
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1];
  const outer = shape.slice(0, -2);
  const number = outer.reduce((a, b) => a * b, 1);
  return Array.from({ length: number }, (_, k) => {
    const label = number > 1 ? `[${unravel(k, outer).join(", ")}]` : "";
    return { label, rows, columns, offset: k * rows * columns };
  });
}

function unravel(k, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(k % shape[axis]);
    k = Math.floor(k / shape[axis]);
  }
  return index;
}

function entryText(array, k) {
  const place = array.shape.length ? `[${unravel(k, array.shape).join(", ")}]  ` : "";
  return place + exact(array.re[k]) + (array.im ? ` ${array.im[k] < 0 ? "−" : "+"} ${exact(Math.abs(array.im[k]))}i` : "");
}

const views = new Set(); // all that are on the page, so that they can be drawn anew

// A place on the page for one array. `show(array, options)` draws it, and draws nothing if it is there already.
//   label: what a screen reader says it is. scale: the size with the full colour. hidden: "?" in place of every number.
class ArrayView {
  constructor(parent, { columns = COLUMNS, onpick = null } = {}) {
    this.columns = columns;
    this.box = parent.appendChild(element("div", { class: "array" }));
    this.body = this.box.appendChild(element("div", { class: "array-body" }));
    this.readout = this.box.appendChild(element("output", { class: "readout" }));
    this.onpick = onpick;
    this.form = this.key = "";
    this.at = 0;
    this.forms = new Map(); // what was built for a form before, as scrubbing goes back and forth between a few
    views.add(this);
    for (const kind of ["pointermove", "pointerdown"]) this.body.addEventListener(kind, (e) => this.pointed(e));
    this.body.addEventListener("pointerleave", () => this.read(-1));
    this.body.addEventListener("keydown", (e) => this.pressed(e));
    this.body.addEventListener("focusin", () => this.read(this.at));
    this.body.addEventListener("focusout", () => this.read(-1));
  }

  show(array, { label = "", scale = null, hidden = false, picked = -1 } = {}) {
    scale ??= largest(array) || 1;
    const key = array ? `${array.index}|${scale}|${hidden}|${picked}|${label}` : "none";
    if (key === this.key && array?.index >= 0) return;
    this.key = key;
    Object.assign(this, { array, label, scale, hidden, picked });
    const size = array?.re?.length ?? 0;
    const isTable = size <= WRITTEN && (array?.shape.at(-1) ?? 1) <= this.columns;
    const form = !array?.re || !size ? "words" : `${isTable ? "table" : "picture"} ${array.shape} ${!array.im}`;
    if (form !== this.form) this.rebuild(form, isTable);
    if (form === "words") this.body.textContent = !array ? "" : !array.re ? `${array.shape.join(" × ")}: too large to be kept` : "empty";
    else if (isTable) this.fillTable();
    else this.paint();
    this.read(-1);
  }

  rebuild(form, isTable) {
    this.form = form;
    this.at = 0;
    this.cells = this.canvas = this.whole = null;
    if (form === "words") return this.body.replaceChildren();
    if (!this.forms.has(form)) {
      const nodes = isTable ? this.tables() : this.pictures();
      this.forms.set(form, { nodes, cells: this.cells, canvas: this.canvas, whole: this.whole });
    }
    const { nodes, ...parts } = this.forms.get(form);
    Object.assign(this, parts);
    this.body.replaceChildren(...nodes);
  }

  // To be drawn anew, at another width or in other colours.
  forget() {
    this.key = "";
    for (const made of this.forms.values()) delete made.room;
  }

  parts() {
    return this.array.im ? [["Re", this.array.re], ["Im", this.array.im]] : [["", this.array.re]];
  }

  get hasRows() {
    return this.array.shape.length > 1;
  }

  tables() {
    this.cells = [];
    const made = [];
    for (const [part] of this.parts()) {
      for (const slice of slices(this.array.shape)) {
        const caption = [part, slice.label].filter(Boolean).join(" ");
        const head = element("tr", {}, ...(this.hasRows ? [element("td")] : []));
        for (let j = 0; j < slice.columns; j++) head.append(element("th", { scope: "col" }, String(j)));
        const rows = Array.from({ length: slice.rows }, (_, i) => this.row(slice, i));
        made.push(element("table", { class: "numbers" }, element("caption", {}, caption), element("thead", {}, head),
          element("tbody", {}, ...rows)));
      }
    }
    return made;
  }

  row(slice, i) {
    const made = element("tr", {}, ...(this.hasRows ? [element("th", { scope: "row" }, String(i))] : []));
    for (let j = 0; j < slice.columns; j++) {
      const cell = element("td", { tabindex: this.cells.length ? -1 : 0 });
      cell.entry = slice.offset + i * slice.columns + j;
      this.cells.push(cell);
      made.append(cell);
    }
    return made;
  }

  fillTable() {
    const size = this.array.re.length;
    this.cells.forEach((cell, n) => {
      const x = (n < size ? this.array.re : this.array.im)[n % size];
      const text = this.hidden ? "?" : shown(x);
      if (cell.firstChild?.data !== text) cell.textContent = text;
      cell.className = this.hidden ? "hidden" : !Number.isFinite(x) ? "broken" : x < 0 ? "minus" : x > 0 ? "plus" : "";
      if (cell.entry === this.picked) cell.className += " picked";
      cell.style.setProperty("--w", this.hidden ? 0 : weight(x, this.scale).toFixed(3));
    });
    for (const table of this.body.querySelectorAll("table")) table.setAttribute("aria-label", this.label);
  }

  pictures() {
    this.canvas = element("canvas", { tabindex: 0, role: "img" });
    const whole = element("details", { class: "whole" }, element("summary", {}, "as a table"));
    whole.addEventListener("toggle", () => {
      whole.querySelector("div")?.remove();
      if (!whole.open || this.hidden) return;
      const inner = whole.appendChild(element("div"));
      const cells = this.cells;
      inner.append(...this.tables());
      this.fillTable();
      this.cells = cells;
    });
    this.whole = whole;
    return [this.canvas, whole];
  }

  paint() {
    const parts = this.parts(), all = slices(this.array.shape), { rows, columns } = all[0];
    const room = (this.forms.get(this.form).room ??= Math.max(120, Math.min(520, this.box.clientWidth || 320)));
    const side = Math.max(2, Math.min(16, Math.floor(room / columns)));
    const gap = 6, block = rows * side + gap;
    const pixels = scaled(this.canvas, columns * side, block * all.length * parts.length - gap);
    this.layout = { side, block, rows, columns };
    parts.forEach(([, numbers], p) => all.forEach((slice, s) => {
      for (let k = 0; k < rows * columns; k++) {
        const x = numbers[slice.offset + k];
        const left = (k % columns) * side, top = (p * all.length + s) * block + Math.floor(k / columns) * side;
        drawCell(pixels, left, top, side, this.hidden ? null : x, this.scale, slice.offset + k === this.picked);
      }
    }));
    const words = this.hidden ? "hidden until you answer" : `largest entry ${shown(largest(this.array))}`;
    this.canvas.setAttribute("aria-label", `${this.label}, ${this.array.shape.join(" × ")}, ${words}`);
    if (this.whole.open) this.whole.open = false;
  }

  entryUnder(e) {
    if (e.target.entry !== undefined) return e.target.entry;
    if (e.target !== this.canvas || !this.canvas) return -1;
    const { side, block, rows, columns } = this.layout;
    const i = Math.floor((e.offsetY % block) / side), j = Math.floor(e.offsetX / side);
    const slice = Math.floor(e.offsetY / block) % slices(this.array.shape).length;
    return i < rows && j < columns && j >= 0 ? (slice * rows + i) * columns + j : -1;
  }

  pointed(e) {
    const entry = this.entryUnder(e);
    this.read(entry);
    if (e.type === "pointerdown" && entry >= 0) this.onpick?.(entry);
  }

  pressed(e) {
    const columns = this.array?.shape.at(-1) ?? 1;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[e.key];
    const isHere = e.target === this.canvas || e.target.entry !== undefined;
    if (!isHere || e.ctrlKey || e.metaKey || e.altKey || (by === undefined && e.key !== "Enter")) return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key === "Enter") return this.onpick?.(this.at);
    if (this.at + by < 0 || this.at + by >= this.array.re.length) return;
    this.at += by;
    if (this.cells && !this.canvas) this.cells[this.at].focus();
    this.read(this.at);
  }

  read(entry) {
    const text = entry < 0 || !this.array?.re || entry >= this.array.re.length ? "" : entryText(this.array, entry);
    this.readout.textContent = this.hidden && text ? text.replace(/\S+( [−+] \S+i)?$/, "?") : text;
  }
}

// How strong the colour of a number is, from 0 to 1: the square root, so that small numbers can be told apart.
function weight(x, scale) {
  if (!Number.isFinite(x) || !(scale > 0)) return 0;
  return Math.sqrt(Math.min(1, Math.abs(x) / scale));
}
