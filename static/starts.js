// Tables started without a signal: kept on this phone until the server has them, each under the
// key with which it is started once, however often that is sent.

import * as Acknowledged from "./acknowledged.js";
import * as Send from "./send.js";
import { isOurs } from "./signal.js";

const PLACE = "kingscore.starts";
const SENT = "kingscore.starts.sent";
const MOST_SENT = 40;
const PATIENCE = 10000;
const PATIENCE_OF_A_FORM = 4000;

function read(place, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(place)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

const outboxOf = (game) => `kingscore.outbox.${game}`;
const draftOf = (game) => `kingscore.draft.${game}`;
const all = () => read(PLACE, []);
const find = (key) => all().find((each) => each.key === key);
const sentTo = (key) => read(SENT, {})[key];
const waiting = (key) => read(outboxOf(key), []);
// The players of a game, as they are called with what waits.
const playersOf = (game, before) => waiting(game).findLast(({ effect }) => effect.type === "names")?.effect.players ?? before;

// Throws where the phone has no room.
function save(game, items) {
  if (items.length) localStorage.setItem(outboxOf(game), JSON.stringify(items));
  else localStorage.removeItem(outboxOf(game));
  Send.leave(`/outbox/${game}`, items.length ? items : null);
}

// Put a change of a row or of the names behind what waits for a table, in place of an earlier one.
function append(game, item) {
  const changed = ({ effect }) => effect.position ?? effect.type;
  save(game, [...waiting(game).filter((other) => changed(other) !== changed(item)), item]);
}

// Throws where the phone has no room.
function put(record) {
  localStorage.setItem(PLACE, JSON.stringify([record, ...all().filter(({ key }) => key !== record.key)]));
}

function remove(key) {
  localStorage.setItem(PLACE, JSON.stringify(all().filter((each) => each.key !== key)));
  save(key, []);
  Send.leave(`/start/${key}`, null);
  localStorage.removeItem(draftOf(key));
}

const saidBy = (page) => [...page.querySelectorAll(".errors li, .errorlist li")].map((each) => each.textContent.trim()).join(" ");

// The address at which the server has opened the table, or the status of its refusal with the
// reasons; nothing without a signal.
async function ask({ url, key, fields }, patience = PATIENCE) {
  try {
    // A phone whose cookies were cleared gets a new token.
    if (!Send.token()) await fetch(url);
    const body = new URLSearchParams([...fields, ["key", key]]);
    const headers = { Accept: "application/json", "X-CSRFToken": Send.token(), ...await Send.digestOf(body) };
    const response = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(patience) });
    if (!isOurs(response) || Send.isMixedUp(response)) return {};
    const { status } = response;
    const isJson = response.headers.get("Content-Type").startsWith("application/json");
    if (status === 201) return await response.json();
    if (status === 422 && /json/.test(response.headers.get("Content-Type"))) return { status, ...await response.json() };
    // Later; a portal of the café answers with a page of its own.
    if (status < 400 || status >= 500 || status === 408 || status === 429) return {};
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return status === 422 && page.querySelector("form#table") ? { status, refused: saidBy(page) } : { status };
  } catch {
    return {};
  }
}

// Hand the waiting entries over to the table's own outbox: first there, then no longer here.
function move(record, { address, game, base }) {
  const there = read(outboxOf(game), []);
  const items = waiting(record.key).map((item) => ({ ...item, url: base + item.url.match(/[^/]+\/$/)[0] }));
  const known = new Set(items.map(({ key }) => key));
  const moved = [...items, ...there.filter(({ key }) => !known.has(key))];
  if (moved.length) localStorage.setItem(outboxOf(game), JSON.stringify(moved));
  const draft = localStorage.getItem(draftOf(record.key));
  if (draft) localStorage.setItem(draftOf(game), draft);
  const sent = Object.entries({ ...read(SENT, {}), [record.key]: address });
  localStorage.setItem(SENT, JSON.stringify(Object.fromEntries(sent.slice(-MOST_SENT))));
  remove(record.key);
}

// Start a table at the server; of two pages that do it at once, one waits and finds it done.
function deliver(key) {
  return navigator.locks.request(`kingscore.start.${key}`, async () => {
    const record = find(key);
    if (!record) return { address: sentTo(key) };
    // Nobody sends it again but who corrects it.
    if (record.refused !== undefined) return { refused: record.refused };
    // The game before comes first, with its last deals.
    const before = record.after && await deliver(record.after);
    if (find(record.after)) {
      Send.leave(`/start/${key}`, record, true);
      return { behind: before.refused === undefined ? before.behind : record.after };
    }
    const url = sentTo(record.after) ? `${sentTo(record.after)}${record.match ? "next-game" : "rematch"}/` : record.url;
    const [, last] = url.match(/^\/play\/([^/]+)\/[^/]+\/(?:rematch|next-game)\/$/) ?? [];
    if (last) await drain(last);
    // The server keeps the time at which it was begun.
    const answer = await ask({ ...record, url, fields: [...record.fields, ["at", record.at]] });
    if (answer.address) move(record, answer);
    else if (answer.refused !== undefined) put({ ...record, refused: answer.refused });
    else Send.leave(`/start/${key}`, { ...record, url, after: undefined }, true);
    return answer;
  });
}

const refusedHere = new Set(); // keys of entries that this page need not send again

// Send the entries of a table that the server has, in order, and return how many it took; what is
// refused its page shows at its row. Of two pages that do it at once, one waits.
function drain(game) {
  return navigator.locks.request(`kingscore.drain.${game}`, async () => {
    let taken = 0;
    for (let [item] = waiting(game); item && !item.refused && !item.editing && !refusedHere.has(item.key); [item] = waiting(game)) {
      const { status, revision, machine, isOlder } = await Send.post(item);
      if (isOlder) {
        save(game, waiting(game).map((other) => (other.key === item.key ? { ...other, revision } : other)));
        continue;
      }
      if (status && status !== 200) refusedHere.add(item.key);
      if (status !== 200) return taken;
      Acknowledged.keep(game, item, machine);
      save(game, Send.behind(waiting(game).filter(({ key }) => key !== item.key), item, revision));
      taken += 1;
    }
    return taken;
  });
}

// Send all that waits, but for the entries of one table; return how many tables and entries the server took.
async function sendAll(except) {
  let taken = 0;
  for (const game of Acknowledged.games()) {
    const lost = game === except ? [] : Acknowledged.recall(game, Number(document.body.dataset.machine));
    if (lost.length) save(game, [...lost, ...waiting(game)]);
  }
  for (const { key, refused } of all()) {
    if (refused === undefined) taken += (await deliver(key)).game ? 1 : 0;
  }
  const local = all().map(({ key }) => key);
  const games = Object.keys(localStorage).filter((name) => name.startsWith(outboxOf(""))).map((name) => name.slice(outboxOf("").length));
  for (const game of games) if (game !== except && !local.includes(game)) taken += await drain(game);
  return taken;
}

export { all, find, sentTo, waiting, playersOf, save, append, put, remove, ask, deliver, drain, sendAll, PATIENCE_OF_A_FORM };
