// Has the service worker store pages for use without a signal; browsers allow it over HTTPS only.

const { worker, keep, missing = "" } = document.querySelector("[data-worker]").dataset;
const addresses = (text) => text.split(" ").filter(Boolean);

navigator.serviceWorker?.register(worker).then(() => navigator.serviceWorker.ready).then(({ active }) => {
  active.postMessage({ keep: addresses(keep), missing: addresses(missing) });
}).catch(() => {});

// On the start page without a signal, a game that is not kept here cannot be opened.
for (const link of document.querySelectorAll(".offline .games a")) {
  window.caches?.match(link.href).then((kept) => {
    if (kept) return;
    link.removeAttribute("href");
    link.querySelector(".far").hidden = false;
  });
}
if (document.body.matches(".offline")) window.addEventListener("online", () => location.reload());
