// Whose phone this is: asked once at a table and kept here. Their seat is marked, and the table drawn from it.

import { hold } from "./held.js";

const dialog = document.getElementById("who");
const all = (selector) => document.querySelectorAll(`#table ${selector}`);
const people = () => JSON.parse(document.getElementById("people").textContent);
const PLACE = `kingscore.who.${people().table}`;
const isWriting = Boolean(document.getElementById("outbox"));
let memory = null; // where the browser keeps nothing, the answer lives as long as the page

function load() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? memory;
  } catch {
    return memory;
  }
}

function save(answer) {
  memory = answer;
  try {
    localStorage.setItem(PLACE, JSON.stringify(answer));
  } catch { /* it stays in memory */ }
}

// By name: in the next game of the evening they may sit elsewhere.
const isSame = (one, other) => one.localeCompare(other, document.documentElement.lang, { sensitivity: "accent" }) === 0;
const seatOf = ({ players }, answer = load()) => (answer?.name ? players.findIndex((name) => isSame(name, answer.name)) : -1);
// Somebody who sits out in one game of the evening keeps their name for the next.
const isWatching = ({ game }, answer = load()) => answer?.name === "" || answer?.watches === game;

function mark() {
  const here = people();
  const seat = seatOf(here);
  for (const was of all(".mine")) was.classList.remove("mine");
  say(here, seat);
  askQuietly(here, seat);
  if (seat < 0) return;
  const side = here.sides[seat];
  const marked = [`[data-seat="${seat}"]`, `[data-seats~="${seat}"]`, `.who.seat-${seat}`, ".of-player", ".score", ".strip li"];
  for (const each of all(marked.join())) {
    const column = each.matches(".of-player, .score") && columnOf(each);
    const isTheirs = each.matches(".strip li") ? indexOf(each) === seat : !column || column - 1 === side;
    each.classList.toggle("mine", isTheirs);
  }
  fromSeat(seat);
}

const indexOf = (element) => [...element.parentElement.children].indexOf(element);
const columnOf = (cell) => indexOf(cell) - [...cell.parentElement.children].findIndex((each) => each.matches(".of-player, .score")) + 1;

// A follower's totals begin with their own.
function fromSeat(seat) {
  for (const strip of all(".strip")) strip.append(...[...strip.children].slice(0, seat));
}

function say(here, seat) {
  for (const button of all(".who-line button")) {
    const { ask, mine, watching } = button.dataset;
    button.textContent = seat >= 0 ? mine.replace("{name}", here.players[seat]) : isWatching(here) ? watching : ask;
  }
}

const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });

// Whoever starts a table finds the question beside "nothing is written yet", out of the way of the first deal.
function askQuietly(here, seat) {
  for (const button of all(".last .ask-who")) button.remove();
  const [slot] = all(".last");
  if (!slot || !isWriting || seat >= 0 || isWatching(here) || all(".sheet tbody").length) return;
  const [line] = all(".who-line button");
  slot.append(Object.assign(document.createElement("button"), { type: "button", className: "link ask-who", textContent: line.dataset.ask }));
}

// The writing page is drawn by the server, once for each game; after that whoever holds the phone may turn it.
function turn() {
  const here = people();
  const seat = seatOf(here);
  const form = document.getElementById("turn");
  const answer = load();
  if (!form || seat < 0 || answer.drawn === here.game) return;
  save({ ...answer, drawn: here.game });
  if (seat === here.holder) return;
  const field = hidden("holder", seat);
  form.append(field);
  form.requestSubmit();
  field.remove();
}

function ask() {
  const { players } = people();
  const seat = seatOf(people());
  for (const button of dialog.querySelectorAll("[value]")) {
    const name = players[button.value];
    if (name) button.querySelector(".who").textContent = name;
    button.setAttribute("aria-pressed", String(button.value === String(seat) || (!button.value && isWatching(people()))));
  }
  dialog.showModal();
}

function answer(value) {
  const { players, game } = people();
  const before = load();
  // Somebody else's name is kept if it is not at this table just now.
  if (value) save({ name: players[value] });
  else save(before?.name && seatOf(people()) < 0 ? { ...before, watches: game } : { name: "" });
  dialog.close();
  mark();
  turn();
}

dialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) answer(button.value);
});
document.addEventListener("click", (event) => {
  if (event.target.closest(".who-line button, .ask-who")) ask();
});

// What is written from here says by whom; in capture, before the outbox reads the form.
document.addEventListener("submit", ({ target }) => {
  const seat = seatOf(people());
  if (seat < 0 || target.method !== "post" || !target.closest("#table")) return;
  target.elements.writer?.remove();
  target.append(hidden("writer", seat));
}, true);

// Only the phone that opened an address to write keeps it.
const { game, follow } = people();
hold({ [game]: { follow, ...(isWriting && { write: location.pathname }) } });
mark();
// Every sheet that comes replaces the one before it.
new MutationObserver(mark).observe(document.getElementById("table").parentElement, { childList: true });
addEventListener("load", turn);
const isAnswered = () => seatOf(people()) >= 0 || isWatching(people());
if (location.hash === "#who" || ("asks" in dialog.dataset && !isAnswered())) ask();
