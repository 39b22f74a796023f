// The bar of a round above a sheet: it asks for news by itself, and calls the director.

import { PATIENCE, isOurs } from "./signal.js";

const EVERY = 20_000;
const OVER = 286;
const bar = document.getElementById("round-bar");

async function ask(address, body) {
  const method = body ? "POST" : "GET";
  const response = await fetch(address, { method, body, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok || !isOurs(response)) return;
  bar.innerHTML = await response.text();
  if (response.status === OVER) clearInterval(polling);
}

// Without an answer the clock goes on by itself.
const poll = () => { if (!document.hidden) ask(bar.dataset.at).catch(() => {}); };
const polling = setInterval(poll, EVERY);
document.addEventListener("visibilitychange", poll);

bar.addEventListener("submit", (event) => {
  event.preventDefault();
  ask(event.target.action, new URLSearchParams(new FormData(event.target))).catch(() => {});
});
