// The section that is being read tells the page in the frame where to go.

const frame = document.querySelector("iframe"), sections = [...document.querySelectorAll("[data-go]")];
let now = null, isLoaded = false;

function read(section) {
  if (section === now || !isLoaded) return;
  now = section;
  for (const each of sections) each.classList.toggle("now", each === section);
  frame.contentWindow.postMessage({ tinyrnn: section.dataset.go }, "*");
}

// The section that has the focus, while it is seen; or the last one whose head has come up far enough, or the first.
function scrolled() {
  const focused = document.activeElement.closest("[data-go]"), box = focused?.getBoundingClientRect();
  if (focused && box.bottom > 0 && box.top < innerHeight) return read(focused);
  const line = innerHeight * (innerWidth < 900 ? 0.75 : 0.4);
  read(sections.findLast((section) => section.getBoundingClientRect().top < line) ?? sections[0]);
}

prepareTheme();
for (const section of sections) section.addEventListener("focus", () => read(section));
addEventListener("scroll", scrolled, { passive: true });
addEventListener("load", () => { // of the page, and so of the frame in it
  isLoaded = true;
  now = null;
  scrolled();
});
document.documentElement.dataset.ready = "yes";
