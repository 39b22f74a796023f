// The table of a game that only this phone has: drawn from the empty table of its ruleset, with
// the names and options that were typed. Once the server has the table, its own page goes on.

import * as Starts from "./starts.js";

const DELAYS = [2000, 4000, 8000, 16000, 30000, 60000];
const key = location.hash.slice(1);
const record = Starts.find(key);
const box = document.getElementById("outbox");

const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const all = (root, selector) => [...root.querySelectorAll(selector)];

// The names stand where the server has put a character for each seat.
function fill({ ruleset, players }) {
  const html = document.getElementById(`table-${ruleset}`).innerHTML;
  document.getElementById("table").outerHTML =
    html.replace(/[\ue000-\ue005]/g, (seat) => escaped(players[seat.charCodeAt(0) - 0xe000])).trim();
}

// Parts of the page, also those of a step that comes later.
function roots() {
  const table = document.getElementById("table");
  const later = table.querySelector("#next-step")?.content;
  return later ? [table, later] : [table];
}

function parts(selector) {
  return roots().flatMap((root) => all(root, selector));
}

// The rules are beside the table, its state is in it.
function change(id, put) {
  for (const script of [...all(document, `#${id}:not(#table *)`), ...parts(`#${id}`)]) {
    const data = JSON.parse(script.textContent);
    put(data);
    script.textContent = JSON.stringify(data).replace(/</g, "\\u003c");
  }
}

// The chosen options, with the values of the ruleset's description, and what follows from them.
function settingsOf({ ruleset, fields, implied = [] }, options) {
  const typed = Object.fromEntries(fields);
  const chosen = {};
  const typedFor = ({ setting }) => typed[`${ruleset}.${setting}`];
  const choose = ({ setting, kind, values }, text) => {
    chosen[setting] = kind === "one-of" ? values.find((value) => String(value) === text.replace(/^(True|False)$/, (on) => on.toLowerCase())) : Number(text);
  };
  for (const option of options) {
    // One answer may be two settings: the second has no field of its own.
    const [text, more] = typedFor(option)?.split(",") ?? [];
    if (text) choose(option, text);
    if (more) choose(options.find((other) => typedFor(other) === undefined && other.values.map(String).includes(more)), more);
  }
  const follows = implied.filter(({ setting, value }) => chosen[setting] === value);
  return Object.assign({}, ...follows.map(({ settings }) => settings), chosen);
}

// Put names and options into the data with which the page adds up.
function setUp() {
  let rules;
  change("game-rules", (description) => {
    // The next game of a match has the rules of the one before.
    if (record.rules) Object.assign(description, record.rules);
    else Object.assign(description.settings, settingsOf(record, description.options));
    const { deals, declarations } = description.settings;
    if (deals) description.deals = deals;
    if (declarations === "free") description.quotas = {};
    rules = description;
  });
  change("game-state", (state) => {
    const { players, first, match } = record;
    Object.assign(state, { here: true, players, first, match, declarer: first, deals: rules.deals, target: rules.target });
    if (!Object.keys(rules.quotas).length) state.left = state.left.map(() => ({}));
    const penalties = rules.contracts.filter(({ kind }) => kind === "penalty").map(({ id }) => id);
    if (rules.settings.penalties_first) state.plan = Array(rules.settings.penalties_first).fill(penalties);
  });
  return rules;
}

// The form was drawn with every field: take away those of options that were not chosen.
function trim({ settings, quotas, deals }) {
  const off = (selector) => parts(selector).forEach((part) => part.remove());
  // Whose phone this is, the server's page asks.
  off(".who-line, #people");
  if (record.match) off(".deal .turns");
  for (const line of parts(".how-played")) line.textContent = record.answers ?? "";
  if (settings.king !== "declared") off("[data-field=king_declared_by]");
  if ((settings.king ?? "off") === "off") off(".king-tick");
  if (!settings.blind_declaration) off("label:has([name=blind])");
  if (!settings.sale) off(".term:has([name^=sale_])");
  if (!settings.blind_declaration && !settings.sale) off(".ask-sale");
  if (settings.no_trump_declaration === false) off(".suit:has([value=no-trump])");
  if (!Object.keys(quotas).length) off(".quota, .tile [data-kind]:not([data-kind=''])");
  const isKing = (radio) => settings.king !== "off" && (settings.king_deals !== "trump" || radio.dataset.kind === "trump");
  for (const radio of parts("[name=contract][data-king]")) if (!isKing(radio)) delete radio.dataset.king;
  for (const number of parts(".deal .of")) number.textContent = number.textContent.replace(/[0-9]+/, deals);
  for (const said of parts(".last .what")) said.textContent = box.dataset.only;
  for (const link of parts("a[href$='/rules/']")) link.href = box.dataset.rules.replace("-", record.ruleset);
}

// The same name twice is refused at its field.
function compareNames({ target }) {
  const fields = target.form?.id === "write-names" ? all(target.form, "[required]") : [];
  const names = fields.map(({ value }) => value.trim());
  fields.forEach((field, at) => field.setCustomValidity(names.indexOf(names[at]) < at ? target.form.dataset.twice.replace("{name}", names[at]) : ""));
}

// What needs the server says so, instead of leading away from the table.
function say(text, ...buttons) {
  const said = document.createElement("p");
  said.textContent = text;
  box.replaceChildren(said, ...buttons);
  box.hidden = false;
}

function button(text, action) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "link", textContent: text });
  made.addEventListener("click", action);
  return made;
}

const close = () => { box.hidden = true; };

const sayThatItNeeds = () => say(box.dataset.needs, button(box.dataset.ok, close));

// The rules open without a signal where the phone has them.
function openRules(event) {
  const link = event.target.closest?.("#table a[href^='/rules/']");
  if (!link) return;
  event.preventDefault();
  caches.match(link.href).then((kept) => (kept ? location.assign(link.href) : sayThatItNeeds()));
}

function holdBack(event) {
  const link = event.target.closest?.(".share-link, #table a[href*='/-/'], #table form:not([data-outbox])");
  if (!link || (event.type === "click" && link.matches("form"))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (link.matches(".share-link, [href$='/pen/']")) say(box.dataset.share, button(box.dataset.ok, close));
  else sayThatItNeeds();
}

// Sending.

let tries = 0;
let timer;
let isLeaving = false;

// Two answers may come at once: the second must not cut off the loading that the first began.
function leave(address) {
  if (!isLeaving) location.replace(address);
  isLeaving = true;
}

async function send() {
  clearTimeout(timer);
  const { address, refused, behind } = await Starts.deliver(key);
  if (address) leave(address);
  else if (refused !== undefined) refuse(refused);
  else {
    if (behind) say(box.dataset.afterRefused, correct(behind));
    timer = setTimeout(send, DELAYS[Math.min(tries++, DELAYS.length - 1)]);
  }
}

// The form with which a game was begun, as it was typed.
const correct = (refused) => button(box.dataset.edit, () => location.assign(`${box.dataset.new}#correct=${refused}`));

function refuse(reason) {
  say(`${box.dataset.refused} ${reason}`, ...(record.match ? [] : [correct(key)]), button(box.dataset.drop, () => {
    Starts.remove(key);
    location.replace(box.dataset.new);
  }));
}

function soon() {
  tries = 0;
  if (!Starts.find(key)?.refused) send().catch(() => say(box.dataset.full));
}

if (record) {
  box.dataset.game = key;
  document.title = record.players.join(" · ");
  fill(record);
  trim(setUp());
  for (const field of parts("#write-names [name=first_declarer]")) field.setAttribute("value", record.first);
  document.addEventListener("input", compareNames);
  document.addEventListener("click", openRules);
  for (const name of ["click", "submit"]) document.addEventListener(name, holdBack, true);
  window.addEventListener("online", soon);
  window.addEventListener("storage", () => { if (Starts.sentTo(key)) leave(Starts.sentTo(key)); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
  if (record.refused) refuse(record.refused);
  soon();
} else {
  location.replace(Starts.sentTo(key) ?? "/");
}
