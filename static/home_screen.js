// After the second game that was written to its end here: how to put the site on the home screen,
// said once. iOS offers no prompt, so the way is shown there.

const WRITTEN = "kingscore.written";
const SAID = "kingscore.home-screen";
const MOST = 2;
const WAIT = 3000;

const hint = document.getElementById("home-screen");
const add = hint.querySelector(".add");
const game = document.getElementById("outbox")?.dataset.game;
const isOnHomeScreen = matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;
// An iPad says that it is a Mac.
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
let prompt = null;
let waits;

function read(place) {
  try {
    return JSON.parse(localStorage.getItem(place));
  } catch {
    return null;
  }
}

function keep(place, value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

const written = () => read(WRITTEN) ?? [];

function show(way) {
  // Where nothing can be kept, it would be said again and again.
  if (read(SAID) || !hint.hidden || !keep(SAID, true)) return;
  for (const part of hint.querySelectorAll("[data-way]")) part.hidden = part.dataset.way !== way;
  hint.hidden = false;
}

function say() {
  if (isOnHomeScreen || read(SAID) || written().length < MOST) return;
  clearTimeout(waits);
  if (prompt) show("prompt");
  else if (isApple) show("apple");
  else if (matchMedia("(pointer: coarse)").matches) waits = setTimeout(show, WAIT, "menu");
}

function look() {
  if (!game || !document.querySelector("#table .end") || written().includes(game)) return;
  keep(WRITTEN, [...written(), game].slice(-MOST));
  say();
}

window.addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  prompt = event;
  say();
});
add.addEventListener("click", () => {
  hint.hidden = true;
  prompt?.prompt();
});
hint.querySelector(".later").addEventListener("click", () => { hint.hidden = true; });

if (game) new MutationObserver(look).observe(document.querySelector("#table").parentElement, { childList: true });
look();
say();
