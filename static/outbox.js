// The outbox: every entry is kept on this phone until the server has answered for it.
// Without signal it waits, survives a reload, and is sent again with the same key, in order.

import * as Acknowledged from "./acknowledged.js";
import * as Kept from "./kept.js";
import * as Form from "./table.js";
import * as Preview from "./preview.js";
import * as Draft from "./draft.js";
import * as Send from "./send.js";
import * as Signal from "./signal.js";
import * as Starts from "./starts.js";
import * as Stream from "./stream.js";
import * as Waiting from "./waiting.js";
import * as Awake from "./awake.js";
import { ask as askFirst } from "./ask.js";

const { newWriteKey } = Send;
// A row whose own page cannot be had is corrected here: the service worker shows this page for it.
const toOpen = /\/entries\/([0-9]+)\/$/.exec(location.pathname)?.[1];
if (toOpen) history.replaceState(null, "", "../../");

const box = document.getElementById("outbox");
const words = box.dataset;
const PLACE = `kingscore.outbox.${words.game}`;
// With the answer and the second in which it comes, another phone is heard within four seconds.
const EVERY = 3000;
const DELAYS = [2000, 4000, 8000, 16000, 30000, 60000];

// A table that only this phone has: table_offline.js sends it.
const isHereOnly = "hereOnly" in words;

let busy = false;
let tries = 0;
let timer;
let sending = null; // the key of the entry on its way, and how to stop it
let isLeft = isHereOnly; // the worker has a copy of what waits
let isDue = false; // another phone may have written since this one asked
let heard = words.etag; // the version of the sheet that this phone last heard
let memory = null; // where the browser keeps nothing, the entries live as long as the page
let isGone = false; // the scoring was handed over, or the round closed: what waits is kept
let draft = Draft.load(); // typed values, those put aside, and news from other phones

const table = () => document.getElementById("table");
const entryForm = () => document.querySelector("#table form.entry");
const revision = () => Number(table().dataset.revision);
const waits = (item) => !item.refused && !item.editing;
const edited = () => load().find((item) => item.editing);

function load() {
  if (memory) return memory;
  try {
    return JSON.parse(localStorage.getItem(PLACE)) || [];
  } catch {
    return [];
  }
}

function save(items) {
  memory = null;
  try {
    if (items.length) localStorage.setItem(PLACE, JSON.stringify(items));
    else localStorage.removeItem(PLACE);
  } catch {
    memory = items.length ? items : null;
    strip(words.full);
  }
  if (isLeft) copy();
}

// The worker sends it where the page is closed.
function copy(isDue) {
  isLeft = true;
  Send.leave(`/outbox/${words.game}`, load().length ? load() : null, isDue);
}

const change = (key, fields) => save(load().map((item) => (item.key === key ? { ...item, ...fields } : item)));

// Drawing: the last sheet from the server, waiting entries, and typed values. A reload
// without signal draws the same from storage.

function draw(typed = Draft.take()) {
  const at = table().contains(document.activeElement) ? document.activeElement : null;
  const html = edited()?.html || Kept.shown();
  table().outerHTML = html;
  Kept.glow();
  Form.arrive();
  Waiting.draw(load(), { edit, discard, cancel, takeOff });
  if (typed) Draft.put(typed);
  Awake.hold();
  if (draft.news && entryForm()) entryForm().elements.revision.value = draft.news.revision;
  if (at) focusAgain(at);
  remember();
}

function focusAgain(at) {
  const same = (one) => ["name", "value", "href", "class"].every((name) => one.getAttribute(name) === at.getAttribute(name));
  [...table().querySelectorAll(at.localName)].find(same)?.focus({ preventScroll: true });
}

function remember() {
  draft.now = Draft.take();
  Draft.save(structuredClone(draft));
  showNews();
}

function receive(html, etag) {
  Kept.keep(html);
  // Whoever has finished a game here comes back: the browser is asked not to clear what waits.
  if (html.includes('class="end"')) navigator.storage?.persist?.();
  heard = etag ?? heard;
}

// Sending.

async function post(item) {
  const stop = new AbortController();
  sending = { key: item.key, stop };
  return Send.post(item, stop);
}

// Whoever asks while entries are on their way waits for these.
let sendingAll = null;
function flush() {
  sendingAll ??= isHereOnly || isGone ? null : sendAll().finally(() => { sendingAll = null; });
  return sendingAll;
}

async function sendAll() {
  clearTimeout(timer);
  busy = true;
  try {
    for (let item = load()[0]; item && waits(item); item = load()[0]) {
      const answer = await post(item);
      const kept = load().some((other) => other.key === item.key);
      if (recall(answer.machine)) continue;
      if (answer.status === 0) {
        if (!kept) continue; // taken back while it was being sent
        change(item.key, { waited: true });
        copy(true);
        timer = setTimeout(flush, DELAYS[Math.min(tries++, DELAYS.length - 1)]);
        return;
      }
      tries = 0;
      const same = sameAt(answer);
      if (answer.status === 200 || same !== null) accept(item, answer, same);
      else if (kept && answer.isOlder) change(item.key, { revision: answer.revision });
      else if (kept) {
        refuse(item, answer);
        return;
      }
    }
  } finally {
    busy = false;
  }
}

// A machine that took over may lack what this phone was told is saved: it is sent again first.
function recall(machine) {
  const lost = Acknowledged.recall(words.game, machine);
  if (lost.length) save([...lost, ...load()]);
  return lost.length > 0;
}

function accept(item, answer, same) {
  const rest = load().filter((other) => other.key !== item.key);
  if (same === null) Acknowledged.keep(words.game, item, answer.machine);
  save(same === null ? Send.behind(rest, item, answer.revision) : rest.map((other) => ({ ...other, revision: same })));
  const typed = Draft.take();
  if (item.effect.type === "names") Kept.refresh(item.url);
  // Only somebody who has just written needs to know that another phone was faster.
  const quiet = answer.status !== 200 && (item.waited || Draft.isTyped(typed));
  receive(quiet ? withoutNotice(answer.html) : answer.html, answer.etag);
  draw(typed);
  if (rest.some(waits)) return;
  const heading = document.querySelector("#table h2");
  if (!Draft.isTyped(typed)) heading?.focus({ preventScroll: true });
  if (!entryForm()) scrollTo({ top: 0 });
  document.getElementById("announce").textContent = `${words.saved} ${heading?.textContent.trim() ?? ""}`;
}

const pageOf = (html) => new DOMParser().parseFromString(html || "", "text/html");
function withoutNotice(html) {
  const sheet = pageOf(html).getElementById("table");
  sheet.querySelector(".problem")?.remove();
  return sheet.outerHTML;
}

const cleanOf = (html) => pageOf(html).getElementById("clean")?.innerHTML;

// Where another phone has written just the same, it is not written once more.
function sameAt(answer) {
  const same = answer.status === 409 && pageOf(answer.html).querySelector("[data-same]");
  return same ? Number(same.dataset.same) : null;
}

function refuse(item, answer) {
  if (answer.status === 410) {
    // The page that follows shows what waits, and it is sent once the scoring comes back.
    isGone = isDue = true;
    return;
  }
  Awake.feel("refused");
  const page = pageOf(answer.html);
  const sheet = page.getElementById("table");
  const isAlone = load().length === 1 && !Draft.isTyped(Draft.take());
  if (sheet) receive(cleanOf(answer.html) ?? answer.html);
  if (sheet && isAlone && item.effect.type === "withdraw") {
    // Nothing was typed that could come back: the sheet, and why.
    save([]);
    page.getElementById("clean")?.remove();
    receive(sheet.outerHTML);
  } else {
    const said = [...page.querySelectorAll(".errors li, .problem p")].map((each) => each.textContent.trim());
    const reason = said.join(" ") || (answer.status !== 404 && page.querySelector("h1")?.textContent) || words.gone;
    // Whoever runs the site finds in its log what the answer does not say.
    const request = said.length ? "" : answer.request;
    page.getElementById("clean")?.remove();
    const form = sheet && comesBack(item, answer, sheet) ? sheet.outerHTML : "";
    change(item.key, { refused: reason, request, html: form, waited: true, editing: isAlone && Boolean(form) });
  }
  draw();
  if (isAlone) focusProblem();
}

// Of a deal in steps that another phone has ended, nothing is left to fill in.
function comesBack({ effect }, { status }, sheet) {
  if (/^(correct|withdraw|names)$/.test(effect.type)) return false;
  const form = sheet.querySelector("form.entry");
  if (status === 409) return Boolean(form?.querySelector("[data-leave]"));
  return effect.type !== "deal" || form?.dataset.outbox === "";
}

function focusProblem() {
  const field = document.querySelector("#table .problem, #table [aria-invalid=true]");
  field?.focus({ preventScroll: true });
  // Where nothing goes back into the form, the reason is on the refused line of the sheet.
  document.querySelector("#table :is(.errors, .problem, tr.refused)")?.scrollIntoView({ block: "nearest" });
}

// Writing.

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-outbox]");
  if (!form) return;
  event.preventDefault();
  if (form.dataset.outbox === "next") begin(form).catch(() => strip(words.full));
  else if (form.dataset.outbox === "now") sendNow(form, event.submitter);
  else if (form.dataset.outbox === "turn") turn(form, event.submitter);
  else write(form, event.submitter);
});

// The next deal opens with its head in sight, and the end with its headline.
function toHead() {
  document.querySelector("#table h2")?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

function write(form, submitter) {
  let item = Preview.itemOf(form, submitter);
  let items = load();
  const index = form.matches(".entry") ? items.findIndex((other) => other.editing) : -1;
  if (index >= 0) {
    const before = items[index];
    item = inPlaceOf(before, item, form);
    items[index] = item;
    // One answer settles what follows.
    if (before.refused) for (const other of items.slice(index + 1)) other.revision = item.revision;
  } else {
    // Of names, the last ones count.
    if (item.effect.type === "names") items = items.filter(({ effect }) => effect.type !== "names");
    items.push(item);
  }
  const typed = Draft.take();
  if (form.matches(".entry")) Object.assign(typed, putBack());
  typed.others = typed.others.filter(([id]) => id !== form.id);
  const folded = [...(form.closest("details") ?? form).querySelectorAll("summary")].map((summary) => summary.textContent);
  typed.open = typed.open.filter((text) => !folded.includes(text));
  if (form.matches(".entry")) draft.news = null;
  Awake.feel("saved");
  save(items);
  draw(typed);
  if (form.matches(".entry")) toHead();
  flush();
}

// What was edited in the form of the next deal: it keeps its address, what this form does not ask for,
// and its place, unless the server has said what came before it.
function inPlaceOf(before, item, form) {
  const revision = before.refused ? item.revision : before.revision;
  const { position } = before.effect;
  if (position === undefined) return { ...item, revision };
  const further = before.fields.filter(([name]) => !form.elements.namedItem(name) && !/^(action|version|sure)$/.test(name));
  const fields = [...item.fields, ...further, ["action", "correct"], ["version", versionOf(position)]];
  return { ...item, revision, url: before.url, fields, effect: { type: "correct", position, to: item.effect } };
}

const rowAt = (position) => Preview.read()?.rows.find((row) => row.position === position);
const versionOf = (position) => rowAt(position)?.version ?? "";

// Restore the values put aside to edit another deal.
function putBack() {
  const { aside } = draft;
  draft.aside = null;
  return { entry: aside?.entry ?? null };
}

// Send an entry that must not wait, because the phone does not store secrets: now or never.
async function sendNow(form, submitter) {
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  const late = setTimeout(() => strip(words.now), 400);
  await flush();
  const item = { key: form.elements.key.value, url: form.action, fields: Preview.valuesOf(form, submitter), revision: revision() };
  const answer = load().length ? { status: 0 } : await post(item);
  clearTimeout(late);
  form.removeAttribute("aria-busy");
  Awake.feel(answer.status === 200 ? "saved" : "refused");
  if (answer.status === 0) {
    strip(`${words.noSignal} ${words.now}`);
    return;
  }
  calm();
  const page = pageOf(answer.html);
  page.getElementById("clean")?.remove();
  const sheet = page.getElementById("table");
  if (!sheet) strip(words.gone, Waiting.numberOf(answer.request));
  else receive(answer.status === 200 ? answer.html : sheet.outerHTML, answer.etag);
  // What was typed of the next deal stays when one before it is confirmed.
  draw(form.matches(".entry") ? null : undefined);
  focusProblem();
}

// Begin the next game of a match: without a signal, or behind what waits, on this phone.
async function begin(form) {
  await flush();
  const url = isHereOnly ? form.getAttribute("action") : new URL(form.action).pathname;
  const after = isHereOnly ? words.game : undefined;
  const begun = Starts.all().find((record) => record.url === url && record.after === after);
  const key = begun?.key ?? form.elements.key?.value ?? Send.newKey();
  const { address, status } = begun || load().length ? {} : await Starts.ask({ url, key, fields: [] }, Starts.PATIENCE_OF_A_FORM);
  if (address) location.assign(address);
  else if (status) form.submit();
  else {
    const { rules, first, players: before } = Preview.read();
    const players = Starts.playersOf(words.game, before);
    const game = {
      key, url, after, at: new Date().toISOString(), fields: [], ruleset: rules.id, rules, players, first: (first + 1) % players.length,
      name: document.querySelector("#table h1").textContent.split(":")[0], match: JSON.parse(form.dataset.soFar),
    };
    if (!begun) Starts.put(game);
    location.assign(`${words.tableOffline}#${key}`);
    if (isHereOnly) location.reload();
  }
}

// Turn the table to another player; what is typed stays.
async function turn(form, submitter) {
  const answer = await post({ key: newWriteKey(), url: form.action, fields: Preview.valuesOf(form, submitter), revision: revision() });
  if (answer.status === 200) {
    receive(answer.html);
    draw();
  } else {
    strip(words.noSignal);
    setTimeout(calm, EVERY);
  }
}

// Put an entry that waits or was refused into the form, with the server's problems.
function edit({ key }) {
  setAside();
  if (sending?.key === key) sending.stop.abort();
  // One at a time: the row opened before it stays as written, a refused entry waits for its answer.
  save(load().filter((item) => item.key === key || !item.isNew).map((item) => ({ ...item, editing: item.key === key })));
  draw(null);
  const item = edited();
  if (!item.html) Form.restore(entryForm(), item.fields);
  remember();
  focusProblem();
  if (!item.html) document.querySelector("#table .last").scrollIntoView();
}

// Correct a row of the sheet here, where its own page cannot be had.
function correctAt(position) {
  const item = load().find(({ effect }) => effect.position === position);
  const row = rowAt(position);
  if (item || !row?.fields) {
    // A line that needs more than this form asks for.
    if (item) edit(item);
    else strip(words.now);
    return;
  }
  const key = newWriteKey();
  const line = document.querySelector(`#table tr[data-position="${position}"]`);
  // Without what the link leads to.
  const [label] = line.querySelector(".of-contract .visually-hidden, .note").textContent.trim().split(":");
  const url = new URL(line.querySelector("a").href).pathname;
  save([...load(), { key, url, fields: row.fields, revision: revision(), label, effect: { type: "correct", position, to: { type: row.type } }, isNew: true }]);
  edit({ key });
}

function setAside() {
  const typed = Draft.take();
  if (typed.entry && !edited()) draft.aside = typed;
}

// What waited goes on to wait as it was.
const leaveEdited = () => save(load().filter((item) => !(item.editing && (item.html || item.isNew))).map((item) => ({ ...item, editing: false })));

function cancel() {
  leaveEdited();
  draw({ ...Draft.take(), ...putBack() });
  flush();
}

// Take a row off the sheet, or an entry that waits off this phone.
function takeOff(item) {
  const { position } = item.effect;
  const after = (all, is) => all.slice(all.findIndex(is) + 1);
  const waiting = after(load(), ({ key }) => position === undefined && key === item.key).map(({ effect }) => effect);
  const written = position === undefined ? [] : after(Preview.read().rows, (row) => row.position === position);
  const turns = /^(deal|passed)$/.test((rowAt(position) ?? item.effect).type);
  const moves = turns && [...written, ...waiting].some(({ type }) => type === "deal");
  askFirst(moves ? words.moves : words.off.replace("{entry}", item.label), words.takeOff, () => {
    if (position === undefined) discard(item);
    else {
      const fields = [["action", "withdraw"], ["version", versionOf(position)], ...(moves ? [["sure", "yes"]] : [])];
      const off = { ...item, key: newWriteKey(), fields, effect: { type: "withdraw", position }, isNew: false, editing: false, refused: "", html: "" };
      save(load().map((other) => (other.key === item.key ? off : other)));
      draw({ ...Draft.take(), ...putBack() });
      flush();
    }
  });
}

// What was written behind it follows what the server has in its place.
function discard(item) {
  const items = load();
  const index = items.findIndex((other) => other.key === item.key);
  if (sending?.key === item.key) sending.stop.abort();
  const later = items.slice(index + 1);
  for (const other of later) {
    if (item.refused) other.revision = revision();
    // Each deal after it has another declarer.
    else if (item.effect.type === "deal") other.fields = other.fields.filter(([name]) => name !== "declarer");
  }
  const typed = { ...Draft.take(), ...(item.editing ? putBack() : {}) };
  if (item.editing) draft.news = null;
  save([...items.slice(0, index), ...later]);
  draw(typed);
  if (later.some(waits)) flush();
  else listen();
}

// Entries of other phones: asked for when the server tells of a change, polled where it cannot.

async function ask() {
  const headers = { "HX-Request": "true", ...(heard && { "If-None-Match": heard }), ...Stream.headers() };
  const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(Signal.PATIENCE) });
  isDue = response.status >= 500 || !Signal.isOurs(response);
  if (recall(Acknowledged.machineOf(response.headers))) flush();
  if (response.redirected) return { leads: response.url };
  if (!response.ok || !response.headers.has("Kingscore-Revision")) return null;
  return { html: await response.text(), etag: response.headers.get("ETag"), revision: Number(response.headers.get("Kingscore-Revision")) };
}

const isOccupied = (typed) => Boolean(edited()) || Draft.isTyped(typed);

async function listen() {
  const isBusy = () => isHereOnly || document.hidden || busy || (load().some(waits) && !isGone) || document.querySelector("#table [aria-busy=true]");
  if (isBusy() || (Stream.isOpen() && !isDue)) return;
  try {
    const sheet = await ask();
    if (!sheet || isBusy()) return;
    if (sheet.leads) {
      isGone = true;
      Kept.forget();
      leave(sheet.leads, sheet.leads.includes("closed=") ? words.closed : words.handedOver);
    } else hear(sheet);
  } catch { /* heard of later */ }
}

function hear(sheet) {
  const typed = Draft.take();
  const before = entryForm()?.elements.revision.value ?? typed.revision;
  heard = sheet.etag;
  const [after, shownNow] = [sheet.html, Kept.shown()].map((html) => pageOf(html).getElementById("table"));
  const [now, known] = [after.dataset, shownNow.dataset];
  const next = !shownNow.querySelector("[data-goes-on]") && after.querySelector("[data-goes-on]");
  if (next) {
    Kept.keep(sheet.html);
    leave(next.href, next.textContent.trim());
    return;
  }
  const isNewer = sheet.revision > Number(known.revision);
  // Confirming a deal is no revision.
  if (!isNewer && (sheet.revision < Number(known.revision) || now.reviewed === known.reviewed)) {
    // Nor is which phone has a seat.
    document.getElementById("people")?.replaceWith(after.querySelector("#people"));
    document.dispatchEvent(new Event("people"));
    return;
  }
  Kept.keep(sheet.html);
  // Send typed values with the revision they saw: the server compares them with later entries.
  if (isNewer && (isOccupied(typed) || draft.news)) draft.news = { text: pageOf(sheet.html).getElementById("table").dataset.news, revision: before };
  draw(typed);
}

// The scoring was handed over, the round closed, or another game begun: go there, after what was typed.
function leave(url, text) {
  const typed = Draft.take();
  if (!isOccupied(typed) && (isGone || !load().length)) location.assign(url);
  else if (draft.news?.url !== url) {
    draft.news = { text, url, revision: typed.revision };
    remember();
  }
}

// The strip at the top.

function strip(text, ...buttons) {
  const said = document.createElement("p");
  said.textContent = text;
  box.replaceChildren(said, ...buttons);
  box.hidden = !text;
}

// Remove a passing message.
function calm() {
  delete box.dataset.news;
  strip("");
  showNews();
}

function showNews() {
  const { news } = draft;
  if ((news?.text ?? "") !== (box.dataset.news ?? "")) {
    box.dataset.news = news?.text ?? "";
    strip(news?.text ?? "", ...(news ? [Waiting.button(words.drop, drop), ...(news.url ? [] : [Waiting.button(words.keep, goOn)])] : []));
  }
}

function drop() {
  const { url } = draft.news;
  Object.assign(draft, { news: null, aside: null });
  leaveEdited();
  draw(null);
  if (url) location.assign(url);
}

function goOn() {
  draft.news = null;
  if (entryForm()) entryForm().elements.revision.value = revision();
  remember();
}

setInterval(listen, EVERY);
if (!isHereOnly) {
  Stream.hear((_, version) => {
    isDue = !Stream.isOf(version, heard);
    listen();
  });
}
// Another page of this phone has written at the same table.
window.addEventListener("storage", ({ key }) => { if (key === PLACE) draw(); });
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  if (load().some(waits)) flush();
  else listen();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-leave]")) return;
  event.preventDefault();
  discard(edited());
});
window.addEventListener("online", () => {
  tries = 0;
  flush();
});

for (const news of ["click", "input", "change", "toggle"]) {
  document.addEventListener(news, (event) => { if (table().contains(event.target)) remember(); }, news === "toggle");
}

// Back from the page that corrects a line or changes the names: one revision more is this phone's own.
const [arrival] = performance.getEntriesByType("navigation");
const isOwn = ({ revision: seen }) => /^#(corrected|table)$/.test(location.hash) && arrival?.type === "navigate" && Number(seen) === revision() - 1;

// Restore the state in which the page was left.
recall(Number(document.body.dataset.machine));
const kept = draft.now;
const items = load();
if (items.length || kept || isHereOnly) {
  isLeft ||= items.length > 0;
  // It was written at another address, if the scoring was handed over and has come back.
  const here = (url) => (isHereOnly ? url : url.replace(/^.*\/play\/[^/]+\/[^/]+\//, location.pathname));
  save(items.map((item) => ({ ...item, url: here(item.url), waited: true })));
  const isOlder = Draft.isTyped(kept) && !items.length && Number(kept.revision) < revision() && !isOwn(kept);
  if (isOlder && !draft.news) draft.news = { text: table().dataset.news, revision: kept.revision };
  draw(kept ?? null);
  flush();
}
if (toOpen) correctAt(Number(toOpen));
