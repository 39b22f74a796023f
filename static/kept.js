// Keeps the sheet that this phone was last shown, for a reload without a signal.

// Taken before any other script has changed the page.
const page = document.documentElement.outerHTML;
const first = document.getElementById("table").outerHTML;
let table = first;

// Browsers have a worker over HTTPS only, and on the machine itself.
const tell = (message) => navigator.serviceWorker?.ready.then(({ active }) => active.postMessage(message));

function keep(html) {
  table = html.trim();
  tell({ page: location.href, html: `<!doctype html>${page.replace(first, () => table)}` });
}

// This address may not write any more: it is asked for once, and forgotten.
const forget = () => tell({ keep: [location.href] });

// A page beside the table, which says what has changed.
const refresh = (address) => tell({ keep: [address] });

keep(first);

// A line glows when it comes, not with the page.
const lastLine = () => Number([...document.querySelectorAll("#table tr[data-position]")].at(-1)?.dataset.position ?? -1);
let newest = lastLine();
function glow() {
  const last = lastLine();
  const lines = last > newest ? document.querySelectorAll(`#table :is([data-position="${last}"], .last)`) : [];
  for (const line of lines) line.classList.add("fresh");
  newest = last;
}

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "table") return;
  keep(detail.xhr.responseText);
  glow();
});
const shown = () => table;

// Few share the picture of a result: its script comes with the first tap.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-picture]");
  if (!link) return;
  event.preventDefault();
  try {
    await (await import("./picture.js")).share(link);
  } catch {
    link.querySelector("[role=status]").textContent = link.dataset.failed;
  }
});

export { keep, refresh, forget, glow, shown };
