// The bar of a round above a sheet: it asks for news by itself, and calls the director.

import { PATIENCE, isOurs } from "./signal.js";

const [EVERY, NEAR_THE_END] = [20_000, 5_000];
const LAST_MINUTES = 5 * 60;
const OVER = 286;
const bar = document.getElementById("round-bar");

async function ask(address, body) {
  const method = body ? "POST" : "GET";
  const response = await fetch(address, { method, body, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok || !isOurs(response)) return;
  bar.innerHTML = await response.text();
  if (response.status === OVER) clearInterval(polling);
}

let asked = performance.now();
// Without an answer the clock goes on by itself.
const poll = () => {
  if (document.hidden) return;
  asked = performance.now();
  ask(bar.dataset.at).catch(() => {});
};
// In the last minutes, and after them, directors add and take off minutes.
const isDue = () => {
  const left = Number(bar.querySelector(".clock")?.dataset.left ?? Infinity);
  return left < LAST_MINUTES || performance.now() - asked > EVERY - NEAR_THE_END / 2;
};
const polling = setInterval(() => { if (isDue()) poll(); }, NEAR_THE_END);
document.addEventListener("visibilitychange", poll);

bar.addEventListener("submit", (event) => {
  event.preventDefault();
  ask(event.target.action, new URLSearchParams(new FormData(event.target))).catch(() => {});
});
