// What was written on this phone before its scoring was handed over: shown where the phone follows, and
// sent by the page of the table once the phone writes again.

import * as Starts from "./starts.js";

const section = document.getElementById("kept-back");
const { game, players, sides } = JSON.parse(document.getElementById("people").textContent);
const line = section.querySelector("li");

function textOf({ label, effect }) {
  const { counts = [] } = effect.to ?? effect;
  const numbers = [...new Set(sides)].map((side) => {
    const names = players.filter((_, seat) => sides[seat] === side);
    return `${names.join(" + ")} ${counts.map(([, all]) => all.find(([of]) => of === side)?.[1] ?? 0).join("·")}`;
  });
  return counts.length ? `${label}: ${numbers.join(", ")}` : label;
}

function draw() {
  const items = Starts.waiting(game);
  section.hidden = !items.length;
  section.querySelector("ul").replaceChildren(...items.map((item) => {
    const shown = line.cloneNode(true);
    shown.querySelector("span").textContent = textOf(item);
    shown.querySelector("button").addEventListener("click", () => {
      Starts.save(game, Starts.waiting(game).filter(({ key }) => key !== item.key));
      draw();
    });
    return shown;
  }));
}

draw();
