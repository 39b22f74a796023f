// Sends an entry to the server, with its key.

import { machineOf } from "./acknowledged.js";
import { PATIENCE, isOurs } from "./signal.js";

// A key that starts a table gives access to it, too.
const newKey = () => random(18);

// A key of one write only has to be unique in its game, and is stored with each deal.
const newWriteKey = () => random(6);

function random(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_");
}

// The token in the cookie is newer than the one in a page that was kept without signal.
function token() {
  const cookie = document.cookie.match(/(?:^|; )(?:__Host-)?csrftoken=([^;]+)/);
  return cookie ? cookie[1] : document.querySelector("[name=csrfmiddlewaretoken]")?.value;
}

// The header by which the server notices the body of another request, as a proxy may mix them up
// (RFC 9530). Browsers compute it over HTTPS only, and on the machine itself.
async function digestOf(body) {
  if (!crypto.subtle) return {};
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  return { "Content-Digest": `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(digest)))}:` };
}

// It noticed: nothing was done, and the same is sent again.
const isMixedUp = ({ headers }) => headers.has("Want-Content-Digest");

// The answer of the server; status 0 where there was none.
async function post(item, stop = new AbortController()) {
  const body = new URLSearchParams(item.fields);
  body.set("key", item.key);
  body.set("revision", item.revision);
  const patience = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const response = await fetch(item.url, {
      method: "POST", body, signal: stop.signal, redirect: "error",
      headers: { "HX-Request": "true", "X-CSRFToken": token(), ...await digestOf(body) },
    });
    if (isMixedUp(response)) return { status: 0 };
    const { status, headers } = response;
    const isSheet = headers.has("Kingscore-Revision");
    const html = await response.text();
    if (!isOurs(response) || (!isSheet && (status < 400 || status >= 500 || status === 408 || status === 429))) return { status: 0 };
    const request = headers.get("X-Request-ID");
    const revision = Number(headers.get("Kingscore-Revision"));
    const isOlder = isSheet && status === 409 && revision < item.revision;
    return { status, html, request, etag: headers.get("ETag"), revision, machine: machineOf(headers), isOlder };
  } catch {
    return { status: 0 };
  } finally {
    clearTimeout(patience);
  }
}

// Entries behind one that the server has taken: each has seen that one as well, but nothing of other phones.
// One that is sent again they had seen before.
const behind = (items, { again }, revision) => again ? items : items.map((item) => ({ ...item, revision: Math.min(Number(item.revision) + 1, revision) }));

// A copy of what waits, under the address of a table, for the service worker: it sends the same keys once
// there is a signal, although no page is open (Background Sync). What the page keeps stays what counts.
let leaving = Promise.resolve();

function leave(address, what, isDue = false) {
  leaving = leaving.then(async () => {
    const { sync } = await navigator.serviceWorker?.getRegistration() ?? {};
    if (!sync) return;
    const cache = await caches.open("kingscore-outbox");
    if (what) await cache.put(address, new Response(JSON.stringify({ what, token: token() })));
    else await cache.delete(address);
    if (isDue) await sync.register("outbox");
  }).catch(() => { /* the page sends it */ });
}

export { newKey, newWriteKey, token, digestOf, isMixedUp, post, behind, leave };
