// The scoring belongs to the table, not to a phone: a follower asks for it, the writing phone gives it,
// and where that is silent the others agree. `who.js` says whose phone this is.

import { newKey } from "./send.js";

const box = document.getElementById("pen");
const AGAIN = 15_000;
const isWriting = Boolean(document.getElementById("outbox"));
const put = (text, name) => text.replace("{name}", name);

let ask; // sends what this phone does to the server
let key = null;
let timer;
let request = "";
let answered = ""; // the request that this phone has answered, by its name and time

function show(says, name, does) {
  box.querySelector("p").textContent = put(box.dataset[says], name);
  for (const button of box.querySelectorAll("button")) {
    button.hidden = !does.includes(button.value);
    button.dataset.seat = name;
  }
  box.hidden = false;
}

// Given, or the writing phone is silent for long enough: the server says which.
async function take(seat) {
  clearTimeout(timer);
  key ??= newKey();
  const response = await ask("write", seat, { key });
  if (response?.ok) location.assign((await response.json()).address);
  else if (!box.hidden) timer = setTimeout(take, AGAIN, seat);
}

function hear({ players, pens = [] }, seat, isHere, send) {
  ask = send;
  for (const button of document.querySelectorAll("#table .ask-pen")) button.hidden = isWriting || !isHere || Boolean(pens[seat]);
  const asker = pens.findIndex(Boolean);
  request = `${players[asker]} ${pens[asker]}`;
  const isGiven = pens[asker] === "given" && asker !== seat;
  if (asker < 0 || answered === request || isGiven) {
    box.hidden = true;
    clearTimeout(timer);
  } else if (isWriting) show("asks", players[asker], ["yes", "no"]);
  else if (asker === seat && isHere) {
    show("waits", players[seat], []);
    take(seat);
  } else if (isHere) show("agree", players[asker], ["agree", "no"]);
}

// What a button does, as the phone of a seat.
async function answer({ value, dataset }, players, seat) {
  answered = request;
  box.hidden = true;
  if (isWriting) await ask(value, players.indexOf(dataset.seat), {}, `${location.pathname}pen/give/`);
  else if (value === "agree") await ask("agree", seat, { name: dataset.seat });
}

export { hear, answer };
