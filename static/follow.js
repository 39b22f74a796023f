// A follower's page: it rests while nobody looks, and says when it hears nothing.

const signal = document.getElementById("signal");
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden) event.preventDefault();
});
document.addEventListener("htmx:sendError", () => { signal.hidden = false; });
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr.status) signal.hidden = true;
});
