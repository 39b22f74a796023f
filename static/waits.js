// Sends what waits on this phone, for any table, from any page; a table's own page sends its own entries.

const AGAIN = 30_000;
const here = document.getElementById("outbox")?.dataset.game;

function isWaiting() {
  try {
    return Object.keys(localStorage).some((name) => /^kingscore\.(starts$|outbox\.|acknowledged\.)/.test(name));
  } catch {
    return false;
  }
}

let busy = false;

async function send() {
  if (busy || document.hidden || !isWaiting()) return;
  busy = true;
  try {
    const Starts = await import("./starts.js");
    if (await Starts.sendAll(here)) document.dispatchEvent(new Event("sent"));
  } finally {
    busy = false;
  }
}

// Where the scoring was handed over, what waits stays.
if (document.getElementById("kept-back") && isWaiting()) import("./kept_back.js").catch(() => {});

// A page that was kept has no signal.
const soon = () => send().catch(() => {});
if (!document.body.matches(".offline")) {
  soon();
  setInterval(soon, AGAIN);
  window.addEventListener("online", soon);
  document.addEventListener("visibilitychange", soon);
}
