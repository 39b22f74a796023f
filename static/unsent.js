// What waits on this phone: the tables that only it has, and the entries of others. `waits.js` sends them.

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
    item.querySelector(".names").textContent = Starts.playersOf(record.key, record.players).join(" · ");
    item.querySelector(".game").textContent = record.name;
    item.querySelector(".entries").textContent = Starts.waiting(record.key).length;
    const isBehind = Starts.find(record.after)?.refused !== undefined;
    item.querySelector(".why").textContent = record.refused ?? (isBehind ? list.dataset.behind : "");
    return item;
  }));
  for (const each of document.querySelectorAll("[data-waits]")) {
    const number = Starts.waiting(each.dataset.waits).length;
    each.hidden = !number;
    each.querySelector("b").textContent = number;
  }
}

// Going back may show the start page as it was before this phone had a table.
const isBack = ({ persisted }) => persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
const isOld = () => !document.querySelector(".games") && Object.keys(held()).length;

draw();
window.addEventListener("storage", draw);
document.addEventListener("sent", () => location.reload());
window.addEventListener("pageshow", (event) => {
  if (isBack(event) && isOld()) location.reload();
  draw();
});
