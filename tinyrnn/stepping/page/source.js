// The source of the function that is running, with the current line, and the name in it that gets its value.

const source = {
  list: document.getElementById("lines"),
  choice: document.getElementById("function"),
  file: document.getElementById("file"),
  shown: -1,
  line: null,
};

function prepareSource() {
  sources.forEach((place, k) => source.choice.append(element("option", { value: k }, place.function)));
  source.choice.addEventListener("change", () => {
    const n = find(isInFunction(Number(source.choice.value)), current.n);
    if (n >= 0) go(n);
  });
}

function drawSource(event) {
  if (event.source !== source.shown) showFunction(event.source);
  const { first } = sources[event.source];
  const row = source.list.children[event.line - first];
  if (source.line) {
    source.line.classList.remove("now");
    source.line.removeAttribute("aria-current");
    source.line.lastChild.replaceChildren(...painted(source.line.text));
  }
  source.line = row;
  row.classList.add("now");
  row.classList.toggle("back", event.backward);
  row.setAttribute("aria-current", "step");
  row.lastChild.replaceChildren(...painted(row.text, event.name));
  keepInSight(row);
}

function showFunction(k) {
  const { function: name, file, first, text } = sources[k];
  const isWrong = new Set(recording.accusations.map(([site]) => sites[site]).filter(([own]) => own === k).map(([, line]) => line));
  const hasEvents = new Set(sites.filter(([own]) => own === k).map(([, line]) => line));
  const margin = Math.min(...text.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  let isInDocstring = false;
  source.list.replaceChildren(...text.map((line, i) => {
    const number = first + i;
    const row = element("li", { class: isWrong.has(number) ? "wrong" : null });
    const quotes = line.match(/"""/g)?.length ?? 0;
    row.text = line.slice(margin);
    row.isWords = isInDocstring || quotes > 0;
    if (quotes === 1) isInDocstring = !isInDocstring;
    row.classList.toggle("words", row.isWords);
    const go = hasEvents.has(number)
      ? element("button", { type: "button", "aria-label": `go to line ${number}`, onclick: () => goToLine(k, number) }, String(number))
      : element("span", {}, String(number));
    const hang = `${row.text.search(/\S|$/) + 4}ch`; // of a line that is too long
    row.append(go, element("code", { style: `padding-left:${hang};text-indent:-${hang}` }, ...painted(row.text)));
    return row;
  }));
  source.shown = k;
  source.line = null;
  source.choice.value = k;
  source.file.textContent = file;
}

// A line as text, with its comment set off, and the name in it marked: as it stands, or without its d in {"W": ...}.
function painted(text, name = null) {
  const hash = text.search(/(^|\s)#/);
  const [code, comment] = hash < 0 ? [text, ""] : [text.slice(0, hash), text.slice(hash)];
  const made = comment ? [element("i", {}, comment)] : [];
  const found = name && (whereIn(code, name) ?? (name.startsWith("d") ? whereIn(code, name.slice(1)) : null));
  if (!found) return [code, ...made];
  const [from, to] = found;
  return [code.slice(0, from), element("mark", {}, code.slice(from, to)), code.slice(to), ...made];
}

function whereIn(code, name) {
  const escaped = name.replace(/[^\w]/g, "\\$&");
  const match = new RegExp(`(^|[^\\w.])(${escaped})(?!\\w)`).exec(code);
  return match && [match.index + match[1].length, match.index + match[0].length];
}

function goToLine(k, line) {
  const isHere = (n) => sites[events.site[n]][0] === k && sites[events.site[n]][1] === line;
  const isNow = (n) => isHere(n) && events.t[n] === current.t && events.layer[n] === current.layer;
  const near = find(isNow);
  go(near >= 0 ? near : find(isHere, current.n));
}

// Scrolls the list, never the page.
function keepInSight(row) {
  const { list } = source;
  const top = row.offsetTop, bottom = top + row.offsetHeight; // in the list, which is positioned
  if (top < list.scrollTop + 24) list.scrollTop = top - 24;
  else if (bottom > list.scrollTop + list.clientHeight - 24) list.scrollTop = bottom - list.clientHeight + 24;
}
