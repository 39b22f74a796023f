// The type of the wall as large as the screen allows: no name is cut, and nothing is below the edge.

import * as Stream from "./stream.js";

const COLUMNS = [1, 2, 3, 4];
const STEPS = 8;
const LARGEST = 0.1;
const phone = matchMedia("(max-width: 40rem) and (orientation: portrait)");

function fits(list) {
  if (document.documentElement.scrollHeight > innerHeight) return false;
  return [...list.querySelectorAll(".wall-name")].every((name) => name.scrollWidth <= name.clientWidth);
}

function set(list, columns, size) {
  list.style.setProperty("--columns", columns);
  list.style.setProperty("--type", `${size}px`);
}

function fit() {
  const list = document.querySelector(".wall-seating, .wall-standings");
  if (!list) return;
  list.removeAttribute("style");
  if (phone.matches) return;
  let best = { columns: 1, size: 0 };
  for (const columns of COLUMNS) {
    let [low, high] = [best.size, innerHeight * LARGEST];
    for (let step = 0; step < STEPS; step += 1) {
      const size = (low + high) / 2;
      set(list, columns, size);
      if (fits(list)) {
        low = size;
        best = { columns, size };
      } else {
        high = size;
      }
    }
  }
  // Widths are measured in whole pixels: a name that is a part of one too wide would be cut.
  if (best.size) set(list, best.columns, best.size - 0.5);
  else list.removeAttribute("style");
}

// A screen is shown again once; the changes after that are seen on the next one.
let isAgain = false;
let isOwn = false;
Stream.hear((event) => {
  if (isAgain || event === "hello") return;
  const wall = document.getElementById("wall");
  isOwn = true;
  htmx.ajax("GET", wall.dataset.here, { source: wall, target: wall, swap: "outerHTML" });
  isOwn = false;
});
document.addEventListener("htmx:beforeRequest", () => { isAgain = isOwn; });

document.addEventListener("htmx:afterSwap", fit);
addEventListener("resize", fit);
document.fonts.ready.then(fit);
