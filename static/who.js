// Whose phone this is: asked once at a table and kept here. Their seat is marked, and the table drawn from it.

import { hold } from "./held.js";
import * as Pen from "./pen.js";

const dialog = document.getElementById("who");
const box = document.getElementById("seat"); // what another phone asks, or answers
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
// Who was renamed in this game is found by the name of before.
function seatOf({ players, was = [] }, answer = load()) {
  if (!answer?.name) return -1;
  const seat = players.findIndex((name) => isSame(name, answer.name));
  return seat >= 0 ? seat : was.findIndex((names) => names.some((name) => isSame(name, answer.name)));
}
// Somebody who sits out in one game of the evening keeps their name for the next.
const sitsOut = ({ resting = [] }, answer = load()) => Boolean(answer?.name) && resting.some((name) => isSame(name, answer.name));
// Which phone has a seat is known to the server; "taken" or "asked", wherever it is.
const isElsewhere = ({ game, phones = [] }, seat) => Boolean(phones[seat]) && !(load()?.has === game && seatOf(people()) === Number(seat));
const isWatching = ({ game }, answer = load()) => answer?.name === "" || answer?.watches === game;

function mark() {
  const here = people();
  const seat = seatOf(here);
  if (seat >= 0 && !isSame(here.players[seat], load().name)) save({ ...load(), name: here.players[seat] });
  for (const was of all(".mine")) was.classList.remove("mine");
  say(here, seat);
  hear(here, seat);
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

// The seats of other phones.

let wanted = null; // the seat that this phone has asked for, by name
let isTold = false; // once for each page: a seat that was chosen earlier, or in the game before

async function send(does, seat = "", more = {}, url = `${people().follow}seat/`) {
  const body = new URLSearchParams({ does, seat, ...more });
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  try {
    return await fetch(url, { method: "POST", body });
  } catch {
    return null; // no signal: told with the next page
  }
}

const tell = async (...what) => Boolean((await send(...what))?.ok);

async function take(seat) {
  isTold = true;
  const { players, game } = people();
  const has = await tell("take", seat);
  if (has) save({ ...load(), name: players[seat], has: game });
  return has;
}

function show(says, name, isQuestion = false) {
  box.querySelector("p").textContent = box.dataset[says].replace("{name}", name);
  for (const button of box.querySelectorAll("button")) button.hidden = Boolean(button.value) !== isQuestion;
  box.hidden = false;
}

function hear(here, seat) {
  if (seat >= 0 && !isTold) take(seat);
  const { players, phones = [], game } = here;
  const isAsked = seat >= 0 && phones[seat] === "asked" && load().has === game;
  if (isAsked) show("asked", players[seat], true);
  else if (!box.querySelector("[value=yes]").hidden) box.hidden = true;
  if (wanted !== null && phones[players.indexOf(wanted)] !== "asked") settle();
  Pen.hear(here, seat, seat >= 0 && load()?.has === game, send);
}

async function want(seat) {
  if (!await tell("ask", seat)) return;
  wanted = people().players[seat];
  show("waits", wanted);
  setTimeout(settle, 61_000);
}

// Answered, or not answered for a minute.
async function settle() {
  const name = wanted;
  const seat = people().players.indexOf(name);
  if (name === null || seat < 0) return;
  wanted = null;
  if (await take(seat)) {
    box.hidden = true;
    mark();
    turn();
  } else show("refused", name);
}

async function give(seat, does) {
  box.hidden = true;
  if (!await tell(does, seat) || does !== "yes") return;
  save({ name: "" });
  mark();
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
    const name = seat >= 0 ? here.players[seat] : sitsOut(here) && load().name;
    button.textContent = name ? mine.replace("{name}", name) : isWatching(here) ? watching : ask;
  }
}

const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });

// Whoever starts a table finds the question beside "nothing is written yet", out of the way of the first deal.
function askQuietly(here, seat) {
  for (const button of all(".last .ask-who")) button.remove();
  const [slot] = all(".last");
  if (!slot || !isWriting || seat >= 0 || sitsOut(here) || isWatching(here) || all(".sheet tbody").length) return;
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
    if (name) {
      button.querySelector(".who").textContent = name;
      const isTaken = isElsewhere(people(), button.value);
      button.classList.toggle("taken", isTaken);
      button.querySelector("small").hidden = !isTaken;
    }
    button.setAttribute("aria-pressed", String(button.value === String(seat) || (!button.value && isWatching(people()))));
  }
  dialog.querySelector("#ask-seat").hidden = true;
  dialog.showModal();
}

// A seat on another phone is asked for there.
let chosen = "";

function choose(value) {
  if (value === "ask") {
    dialog.close();
    want(chosen);
  } else if (value && isElsewhere(people(), value)) {
    chosen = value;
    const line = dialog.querySelector("#ask-seat p");
    line.textContent = line.dataset.says.replace("{name}", people().players[value]);
    line.parentElement.hidden = false;
    line.nextElementSibling.focus();
  } else answer(value);
}

function answer(value) {
  const { players, game } = people();
  const before = load();
  // Somebody else's name is kept if it is not at this table just now.
  if (value) {
    save({ name: players[value] });
    isTold = false;
  } else save(before?.name && seatOf(people()) < 0 ? { ...before, watches: game } : { name: "" });
  if (!value && before?.has === game) tell("leave");
  dialog.close();
  mark();
  turn();
}

dialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) choose(button.value);
});
box.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.value) give(seatOf(people()), button.value);
  else if (button) box.hidden = true;
});
document.getElementById("pen").addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button) Pen.answer(button, people().players, seatOf(people()));
});
document.addEventListener("people", mark);
document.addEventListener("click", (event) => {
  if (event.target.closest(".ask-pen")) tell("pen", seatOf(people()));
  else if (event.target.closest(".who-line button, .ask-who")) ask();
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
const isAnswered = () => seatOf(people()) >= 0 || sitsOut(people()) || isWatching(people());
if (location.hash === "#who" || ("asks" in dialog.dataset && !isAnswered())) ask();
