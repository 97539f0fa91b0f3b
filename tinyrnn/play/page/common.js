// What all pages are made with: elements, numbers, light and dark.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function plain(value) {
  const size = Math.abs(value), isOdd = size >= 1000 || (size > 0 && size < 0.0005);
  return (isOdd ? value.toExponential(1).replace("+", "") : value.toFixed(3)).replaceAll("-", "−");
}

// The button that goes from light to dark and back.
function prepareTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement, button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const say = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
  });
  dark.addEventListener("change", say);
  say();
}
