// Keeps this phone's tables, as last seen, for a reload without signal.
// The network is always asked first; what is kept is only shown when it does not answer.
"use strict";

const PAGES = "kingscore-pages-1";
const FILES = "kingscore-files-1";
const MOST_FILES = 60;

const isTable = (url) => /^\/(play|follow)\/[^/]+\/[^/]+\/$/.test(url.pathname);
const isFile = (url) => /\.(css|js|svg|png|webmanifest)$/.test(url.pathname);
const placeOf = (url) => (isTable(url) ? PAGES : FILES);

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  const isPage = event.request.mode === "navigate" && isTable(url);
  if (isPage || (isFile(url) && url.pathname !== "/sw.js")) event.respondWith(askFirst(event.request, url));
});

async function askFirst(request, url) {
  try {
    const response = await fetch(request);
    await keep(url, response);
    return response;
  } catch (error) {
    const kept = await caches.match(url.origin + url.pathname);
    if (kept) return kept;
    throw error;
  }
}

// A page that is gone, or whose pen was handed over, is forgotten here as well.
async function keep(url, response) {
  const cache = await caches.open(placeOf(url));
  const place = url.origin + url.pathname;
  if (response.ok && !response.redirected && response.type === "basic") {
    // Read to its end first: what was cut off half-way must not take the place of what is kept.
    const body = await response.clone().blob();
    await cache.put(place, new Response(body, response));
    const places = await cache.keys();
    if (places.length > MOST_FILES) await cache.delete(places[0]);
  } else if (isTable(url) && (response.status === 404 || response.redirected || response.type === "opaqueredirect")) {
    await cache.delete(place);
  }
}

self.addEventListener("message", (event) => {
  event.waitUntil(Promise.all((event.data.keep || []).map(async (address) => {
    const url = new URL(address);
    if (url.origin !== self.location.origin || !(isTable(url) || isFile(url))) return;
    try {
      await keep(url, await fetch(url, { credentials: "same-origin" }));
    } catch { /* no signal: what is kept stays */ }
  })));
});
