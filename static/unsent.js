// The tables that only this phone has: listed, and sent where there is a signal.

import { held } from "./held.js";
import * as Starts from "./starts.js";

const section = document.getElementById("unsent");
const list = section.querySelector("ul");
const line = section.querySelector("template").content.firstElementChild;

function draw() {
  const records = Starts.all();
  section.hidden = !records.length;
  list.replaceChildren(...records.map((record) => {
    const item = line.cloneNode(true);
    item.querySelector("a").href += `#${record.key}`;
    item.querySelector(".names").textContent = record.players.join(" · ");
    item.querySelector(".game").textContent = record.name;
    item.querySelector(".entries").textContent = Starts.waiting(record.key).length;
    item.querySelector(".why").textContent = record.refused ?? "";
    return item;
  }));
}

async function send() {
  let isSent = false;
  for (const { key, refused } of Starts.all()) {
    if (refused !== undefined) continue;
    const { address, game } = await Starts.deliver(key);
    if (!address) return;
    if (game) await Starts.drain(game);
    isSent = true;
  }
  if (isSent) location.reload();
}

// Going back may show the start page as it was before this phone had a table.
const isBack = ({ persisted }) => persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
const isOld = () => !document.querySelector(".games") && Object.keys(held()).length;

draw();
window.addEventListener("storage", draw);
window.addEventListener("pageshow", (event) => {
  if (isBack(event) && isOld()) location.reload();
  draw();
});
if (!document.body.matches(".offline")) send().catch(() => { /* no room or no signal: later */ });
