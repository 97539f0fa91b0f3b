// What does not fit its box can be scrolled with the keyboard too: it gets the focus, if it is so.
function reachable() {
  for (const e of document.querySelectorAll("pre, .math-block, .table-wrapper")) {
    if (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) e.tabIndex = 0;
    else e.removeAttribute("tabindex");
  }
}

addEventListener("load", reachable);
addEventListener("resize", reachable);
