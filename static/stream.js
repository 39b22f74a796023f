// Hears from the server that something on this page has changed. Until then, and wherever that is not
// possible, the page polls.

const SILENCE = 20_000; // the server says something every 15 seconds
const SPREAD = 30_000; // after a restart the server gets its pages back one by one
const SHORT = 60_000;
const MOST_FAILURES = 3;
const LATER = 300_000;

const listeners = [];
let address;
let source = null;
let since = 0; // when the server began to look for changes
let news = ""; // of the last event: the version of a game
let failures = 0;
let silence;
let again;

const isOpen = () => since > 0;

// An ETag of a sheet begins with its version.
const isOf = (version, etag) => Boolean(version && etag?.includes(version));

// With a question after an event: the answer must not be older.
const headers = () => (isOpen() ? { "Kingscore-News": news } : {});

// The first to listen may name the page: a refused form is shown at an address of its own.
function hear(listener, at = location.pathname) {
  listeners.push(listener);
  if (listeners.length > 1) return;
  address = `${at}events`;
  open();
}

function open() {
  close();
  if (document.hidden || !window.EventSource) return;
  source = new EventSource(address);
  source.addEventListener("error", fail);
  for (const name of ["hello", "news", "beat"]) source.addEventListener(name, heard);
  wait();
}

function close() {
  source?.close();
  source = null;
  since = 0;
  clearTimeout(silence);
  clearTimeout(again);
}

function wait() {
  clearTimeout(silence);
  silence = setTimeout(fail, SILENCE);
}

function heard({ type, data }) {
  wait();
  if (type === "beat") return;
  const [, version = ""] = data.split(" ");
  // A page may show more than the server had seen before this hello.
  news = (type === "news" && version) || "unknown";
  since ||= Date.now();
  for (const listener of listeners) listener(type, version);
}

// Cut off, refused, or kept back on the way.
function fail() {
  failures = isOpen() && Date.now() - since > SHORT ? 1 : failures + 1;
  close();
  again = setTimeout(open, failures < MOST_FAILURES ? Math.random() * SPREAD : LATER);
}

// A page that nobody sees needs no news, and the browser allows few connections.
document.addEventListener("visibilitychange", () => {
  if (!listeners.length) return;
  if (document.hidden) close();
  else open();
});

export { headers, hear, isOf, isOpen };
