// A page that follows: each of its parts asks when the server tells of a change, and polls where it cannot.
// It rests while nobody looks or somebody types in it, says when it hears nothing or somebody else than
// the site, keeps open what was opened, and goes on to the next game.

import * as Signal from "./signal.js";
import * as Stream from "./stream.js";

const PART = '[hx-trigger*="news"]';
const signal = document.getElementById("signal");
const due = new Set(); // ids of the parts that something has changed for
const asked = new Map();
const pauseOf = (part) => 1000 * Number(/every (\d+)s/.exec(part.getAttribute("hx-trigger"))[1]);

const shown = document.querySelector(`${PART}:not(#strip)`)?.getAttribute("hx-get");
const page = shown && new URL(shown, location).pathname;

// Sooner than it polls, a part asks once: the next change waits for the poll.
Stream.hear((_, version) => {
  for (const part of document.querySelectorAll(PART)) {
    if (Stream.isOf(version, part.getAttribute("hx-headers"))) continue;
    const { id } = part;
    due.add(id);
    const pause = pauseOf(part);
    // Other pages have heard it at the same moment.
    if (Date.now() - (asked.get(id) ?? 0) >= pause) setTimeout(ask, Math.random() * pause / 20, id);
  }
}, page);

function ask(id) {
  const part = document.getElementById(id);
  if (part && due.has(id)) htmx.trigger(part, "news");
}

document.addEventListener("htmx:configRequest", ({ detail }) => {
  Object.assign(detail.headers, Stream.headers());
});
document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  const at = document.activeElement;
  const types = at !== part && at?.matches("input") && part.contains(at);
  const isPart = part.matches(PART);
  if (document.hidden || types || (isPart && Stream.isOpen() && !due.has(part.id))) event.preventDefault();
  else if (isPart) {
    due.delete(part.id);
    asked.set(part.id, Date.now());
  }
});
Signal.hear((part, isHeard) => {
  if (signal) signal.hidden = isHeard;
  if (!isHeard) due.add(part.id);
});

// Menus are known by the nearest id above them: what comes before may be gone after an update.
const namedAbove = (element) => element.parentElement.closest("[id]");
const placeOf = (element) => {
  const above = namedAbove(element);
  return `${above.id} ${[...above.querySelectorAll("details, summary, details a")].indexOf(element)}`;
};
let opened = [];
let focused = "";
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = event.detail;
  const at = document.activeElement;
  opened = [...target.querySelectorAll("details[open]")].map(placeOf);
  focused = target.contains(at) && at.closest("details") ? placeOf(at) : "";
});
document.addEventListener("htmx:afterSwap", () => {
  for (const menu of document.querySelectorAll("[id] details, [id] summary, [id] details a")) {
    if (opened.includes(placeOf(menu))) menu.open = true;
    if (focused && placeOf(menu) === focused) menu.focus({ preventScroll: true });
  }
  opened = [];
  focused = "";
});

// An old sheet that is opened later only shows the way.
const next = () => document.querySelector("#table [data-goes-on]");
const isOld = Boolean(next());
document.addEventListener("htmx:afterSwap", () => {
  if (!isOld && next()) location.assign(next().href);
});
