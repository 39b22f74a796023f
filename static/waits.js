// Sends what waits on this phone, for any table, from any page; a table's own page sends its own entries.

const AGAIN = 30_000;
const here = document.getElementById("outbox")?.dataset.game;
const isWaiting = () => Object.keys(localStorage).some((name) => /^kingscore\.(starts$|outbox\.)/.test(name));

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

// A page that was kept has no signal, and one with blocked storage has nothing to send.
const soon = () => send().catch(() => {});
if (!document.body.matches(".offline")) {
  soon();
  setInterval(soon, AGAIN);
  window.addEventListener("online", soon);
  document.addEventListener("visibilitychange", soon);
}
