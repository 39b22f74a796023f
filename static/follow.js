// A follower's page: it rests while nobody looks or somebody types in it, says when it hears nothing,
// keeps open what was opened, and goes on to the next game.

const signal = document.getElementById("signal");
document.addEventListener("htmx:beforeRequest", (event) => {
  const at = document.activeElement;
  const types = at !== event.target && at?.matches("input") && event.target.contains(at);
  if (document.hidden || types) event.preventDefault();
});
document.addEventListener("htmx:sendError", () => { signal.hidden = false; });
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr.status) signal.hidden = true;
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
