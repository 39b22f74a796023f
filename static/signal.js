// Knows answers of the site from those of a portal, of a proxy, and of a network that is connected and
// dead. What is not of the site is never shown in a part of a page, and counts as no signal.

const PATIENCE = 8000;

const isOurs = ({ headers }) => headers.has("Kingscore-Site");
const isOfSite = (xhr) => xhr.status > 0 && xhr.getResponseHeader("Kingscore-Site") !== null;

document.addEventListener("htmx:configRequest", ({ detail }) => { detail.timeout = PATIENCE; });
document.addEventListener("htmx:beforeSwap", ({ detail }) => { if (!isOfSite(detail.xhr)) detail.shouldSwap = false; });

// Calls back after each answer to a part of the page: with its element, and whether the site was heard.
const hear = (listener) => document.addEventListener("htmx:afterRequest", ({ target, detail: { xhr } }) => {
  listener(target, isOfSite(xhr) && xhr.status < 500);
});

export { PATIENCE, hear, isOurs };
