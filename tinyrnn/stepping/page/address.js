// The address of a place: "#t=9&line=64" is source line 64 at time step 9, "#t=9" the first line of that step on the way
// forwards, "#t=9&back=1" on the way back, "#n=120" the 120th line that ran. What the address says is gone to; where one
// has come to rest is what it says.

let keeping = null;

function placeAt(address) {
  const said = new URLSearchParams(address.replace(/^#/, ""));
  const number = (key) => (said.has(key) && /^\d+$/.test(said.get(key)) ? Number(said.get(key)) : null);
  const [n, t, line] = ["n", "t", "line"].map(number);
  if (n !== null) return n - 1;
  if (t === null && line === null) return -1;
  const isOnTheWay = (k) => line !== null || (k >= turn) === (said.get("back") === "1");
  return find((k) => (t === null || isAt(t)(k)) && (line === null || sites[events.site[k]][1] === line) && isOnTheWay(k), 0);
}

function follow(address) {
  const n = placeAt(address);
  if (n >= 0) go(n);
}

// Once one has rested there: browsers refuse too many changes in a row.
function keepAddress(event) {
  const place = event.t < 0 ? { n: event.n + 1 } : { t: event.t, line: event.line };
  const address = `#${new URLSearchParams(placeAt(`#${new URLSearchParams(place)}`) === event.n ? place : { n: event.n + 1 })}`;
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    try { history.replaceState(null, "", address); } catch { /* a page inside a page may have no address of its own */ }
  }, 250);
}

function prepareAddress() {
  addEventListener("hashchange", () => follow(location.hash));
  addEventListener("message", ({ data }) => typeof data?.tinyrnn === "string" && follow(data.tinyrnn));
}
