// A follower's page: it rests while nobody looks or somebody types in it, says when it hears nothing,
// and goes on to the next game.

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

// An old sheet that is opened later only shows the way.
const next = () => document.querySelector("#table [data-goes-on]");
const isOld = Boolean(next());
document.addEventListener("htmx:afterSwap", () => {
  if (!isOld && next()) location.assign(next().href);
});
