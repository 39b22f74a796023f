// Stores pages for use without a signal: the phone's tables, their rules, the guide, a start page.
// It asks the network first, and shows a stored page if no answer comes soon, or one of somebody else.
"use strict";

const PAGES = "kingscore-pages-1";
const FILES = "kingscore-files-1";
const START = "/offline/";
const NEW = "/offline/new/";
const TABLE = "/offline/table/";
// Pages that stand for others without a signal.
const INSTEAD = { "/": START, "/new/": NEW };
const REMATCH = /^\/play\/[^/]+\/[^/]+\/rematch\/$/;
// Without its own page a row is corrected on that of the table.
const ENTRY = /entries\/[0-9]+\/$/;
const placeWithout = (url) => INSTEAD[url.pathname] ?? (REMATCH.test(url.pathname) ? NEW : placeOf(url).replace(ENTRY, ""));
const ACCOUNT = "Kingscore-Account";
const PATIENCE = 4000;
// Enough for the 40 games of a phone with their rules, and for all files of the site.
const MOST = 120;

const KEPT_PAGES = /^\/((play|follow)\/[^/]+\/[^/]+\/((rules|names)\/)?|rules\/([^/]+\/)?|guide\/|tables\/|offline\/((new|table)\/)?)$/;
const isTable = (url) => /^\/(play|follow)\//.test(url.pathname);
const isPage = (url) => KEPT_PAGES.test(url.pathname);
const isFile = (url) => /^\/static\/.*\.(css|js|svg|png|webmanifest)$/.test(url.pathname);
const placeOf = (url) => url.origin + url.pathname;

// Until then files are shown as kept: the page they belong to was.
let keptUntil = 0;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (event.request.mode === "navigate" || isFile(url)) event.respondWith(show(event, url));
});

// What the server tells a player: a newer one replaces the older of its kind.
self.addEventListener("push", (event) => {
  const { title, url, ...shown } = event.data.json();
  const icon = "/static/icons/kingscore-192.png";
  event.waitUntil(self.registration.showNotification(title, { ...shown, icon, renotify: true, data: url }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(goTo(event.notification.data));
});

async function goTo(address) {
  const open = await self.clients.matchAll({ type: "window" });
  const there = open.find((each) => new URL(each.url).pathname === address);
  return there ? there.focus() : self.clients.openWindow(address);
}

// The browser has ended what it subscribed, or its maker asks for another: subscribe anew and say so.
const RENEW = "/notifications/renew/";
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event.newSubscription)));

async function renew(given) {
  const applicationServerKey = await (await fetch(RENEW)).text();
  const wanted = { userVisibleOnly: true, applicationServerKey };
  const { endpoint, keys } = (given ?? await self.registration.pushManager.subscribe(wanted)).toJSON();
  await send(RENEW, { endpoint, ...keys });
}

// As in send.js, which a worker cannot import.
async function send(url, fields, headers = {}) {
  const body = new URLSearchParams(fields);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  headers["Content-Digest"] = `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:`;
  return fetch(url, { method: "POST", body, headers, redirect: "error", signal: AbortSignal.timeout(30_000) });
}

// The browser has found a signal, although no page may be open: what pages have left here is sent with their
// keys, in order, up to what is refused. The page, which keeps it, sends the same again and shows the answers.
self.addEventListener("sync", (event) => event.waitUntil(sendLeft()));

async function sendLeft() {
  const cache = await caches.open("kingscore-outbox");
  const addresses = await cache.keys();
  const left = {};
  for (const { url } of addresses) left[new URL(url).pathname] = await (await cache.match(url)).json();
  for (const path of Object.keys(left)) await sendTable(path.split("/")[2], left);
  for (const address of addresses) await cache.delete(address);
}

// What waits for a table: its start, after the game before it, then its entries. Gives its address, once it has one.
async function sendTable(game, left) {
  const [start, outbox] = [left[`/start/${game}`], left[`/outbox/${game}`]];
  delete left[`/outbox/${game}`];
  const base = start && await (start.begun ??= begin(start.what, start.token, left));
  if (outbox && (!start || base)) await sendAll(outbox.what, outbox.token, base);
  return base;
}

// Without an answer of the site, the browser tries again later.
async function post(url, fields, token, more) {
  const response = await send(url, fields, { "X-CSRFToken": token, ...more });
  const { status } = response;
  if (!isOurs(response) || status >= 500 || status === 408 || status === 429) throw new Error("no answer");
  return response;
}

async function begin({ url, fields, key, at, after, match }, token, left) {
  const before = after && await sendTable(after, left);
  if (after && !before) return null;
  const to = before ? `${before}${match ? "next-game" : "rematch"}/` : url;
  const [, last] = url.match(/^\/play\/([^/]+)\//) ?? [];
  if (last) await sendTable(last, left);
  const response = await post(to, [...fields, ["key", key], ["at", at]], token, { Accept: "application/json" });
  return response.status === 201 ? (await response.json()).base : null;
}

async function sendAll(items, token, base) {
  for (let [item, ...rest] = items; item; [item, ...rest] = rest) {
    const { url, fields, key, revision, refused, editing } = item;
    if (refused || editing) return;
    const at = base ? base + url.match(/[^/]+\/$/)[0] : url;
    const { status, headers } = await post(at, [...fields, ["key", key], ["revision", revision]], token, { "HX-Request": "true" });
    if (status !== 200) return;
    const now = Number(headers.get("Kingscore-Revision"));
    rest = rest.map((other) => ({ ...other, revision: Math.min(Number(other.revision) + 1, now) }));
  }
}

async function show(event, url) {
  const isNavigation = event.request.mode === "navigate";
  const kept = await caches.match(placeWithout(url));
  if (kept && !isNavigation && Date.now() < keptUntil) return kept;
  const asked = ask(event.request, url);
  // An answer that comes too late to be shown is kept all the same.
  event.waitUntil(asked.catch(() => {}));
  try {
    return await (kept ? Promise.race([asked, giveUp()]) : asked);
  } catch (error) {
    // The portal of a café may be all that there is to see.
    const { foreign } = error;
    const page = kept || (foreign?.status < 500 ? foreign : isNavigation && await caches.match(START)) || foreign;
    if (!page) throw error;
    if (page === foreign) return page;
    if (isNavigation) keptUntil = Date.now() + PATIENCE;
    return page;
  }
}

async function ask(request, url) {
  const response = await load(request);
  if (isPage(url) || isFile(url)) await keep(url, response);
  return response;
}

// An answer of the site; a web server before it may give files alone. Redirects hide their headers.
const isOurs = ({ headers, type, url }) => type === "opaqueredirect" || headers.has("Kingscore-Site")
  || (isFile(new URL(url)) && !headers.get("Content-Type")?.startsWith("text/html"));

// Without TLS, browsers take an answer that is cut off within its headers for a whole and empty one.
async function load(...asked) {
  const response = await fetch(...asked);
  if (response.ok && !response.headers.has("Content-Type")) throw new Error("cut off");
  if (!isOurs(response)) throw Object.assign(new Error("not of this site"), { foreign: response });
  return response;
}

const giveUp = () => new Promise((_, reject) => { setTimeout(reject, PATIENCE, new Error("no answer")); });

// Delete a page that is gone, or whose scoring was handed over.
const isGone = ({ status, redirected, type }) => [404, 410].includes(status) || redirected || type === "opaqueredirect";

async function keep(url, response) {
  const cache = await caches.open(isPage(url) ? PAGES : FILES);
  const place = placeOf(url);
  if (response.ok && !response.redirected && response.type === "basic") {
    // Read to its end first: a truncated answer must not replace the stored one.
    const body = await response.clone().blob();
    if (url.pathname === START) await forgetAccount(cache, response);
    await cache.put(place, new Response(body, response));
    const places = await cache.keys();
    if (places.length > MOST) await cache.delete(places[0]);
  } else if (isPage(url) && isGone(response)) {
    await Promise.all([cache.delete(place), cache.delete(`${place}rules/`), cache.delete(`${place}names/`)]);
  }
}

// The start page says for which account it was shown: signed out, or as somebody else, the phone
// keeps nothing that was shown before.
async function forgetAccount(cache, response) {
  const before = (await cache.match(START))?.headers.get(ACCOUNT);
  if (!before || before === response.headers.get(ACCOUNT)) return;
  for (const place of await cache.keys()) await cache.delete(place);
}

// A page as it is shown now, under the headers with which the server gave it.
async function keepShown(url, html) {
  const cache = await caches.open(PAGES);
  const place = placeOf(url);
  const before = await cache.match(place);
  const files = keepFiles(html);
  // A page that is new here waits for its files: without its scripts it could keep no entry.
  await (before ? files.catch(() => {}) : files);
  const given = before ?? (await load(url, { method: "HEAD", credentials: "same-origin" }));
  if (given.ok && !given.redirected) await cache.put(place, new Response(html, { headers: given.headers }));
}

// One after the other, so that the page shown last is stored last.
let keeping = Promise.resolve();

self.addEventListener("message", (event) => {
  const { page, html, keep: addresses = [], missing = [] } = event.data;
  const url = page && new URL(page);
  if (url && url.origin === self.location.origin && isPage(url) && isTable(url)) {
    keeping = keeping.then(() => keepShown(url, html)).catch(() => { /* no signal: keep the stored pages */ });
    event.waitUntil(keeping);
  }
  event.waitUntil(keepAll(addresses, missing));
});

// One after the other: the page that asks for it goes first on a slow network.
async function keepAll(addresses, missing) {
  try {
    for (const address of addresses) await fetchAndKeep(new URL(address, self.location));
    for (const address of missing) {
      const url = new URL(address, self.location);
      if (!await caches.match(placeOf(url))) await fetchAndKeep(url);
    }
  } catch { /* no signal: keep the stored pages */ }
}

async function fetchAndKeep(url) {
  if (url.origin !== self.location.origin || !(isPage(url) || isFile(url))) return;
  const known = (await caches.match(placeOf(url)))?.headers.get("ETag");
  const response = await load(url, { credentials: "same-origin", headers: known ? { "If-None-Match": known } : {} });
  if (response.status === 304) return;
  // The page may never have been opened here, so its files have not come by.
  if (isPage(url)) await keepFiles(await response.clone().text());
  await keep(url, response);
}

async function keepFiles(html) {
  for (const [, address] of html.matchAll(/(?:href|src)="(\/[^"]+)"/g)) {
    const url = new URL(address, self.location);
    if (isFile(url) && !await caches.match(placeOf(url))) await keep(url, await load(url));
  }
}
