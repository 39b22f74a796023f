// Starts a new table, with a signal at the server and without one on this phone.

import * as Send from "./send.js";
import * as Starts from "./starts.js";

const form = document.querySelector("form#table");
const words = form.dataset;
const TABLE = words.tableOffline;
const problem = form.querySelector(".start-problem");

const rulesetOf = () => {
  const family = form.querySelector("[name=family]:checked")?.value;
  return form.querySelector(`[name="form.${family}"]:checked`);
};

// The record of a table that starts here; the fields are those that the server will be sent.
function recordOf(ruleset) {
  const fields = [...new FormData(form)].filter(([name]) => !/^(key|csrfmiddlewaretoken)$/.test(name));
  const typed = Object.fromEntries(fields);
  const seats = Number(ruleset.dataset.seats);
  const first = Number(typed.first_declarer ?? 0);
  return {
    key: form.elements.key.value, at: new Date().toISOString(), url: form.getAttribute("action"), fields,
    ruleset: ruleset.value, name: ruleset.closest("label").querySelector("strong").textContent.trim(),
    players: [...Array(seats).keys()].map((seat) => (typed[`name${seat}`] ?? "").trim()), first: first < seats ? first : 0,
  };
}

// What the server would refuse: the field, and why.
function refusalOf({ players, ruleset }) {
  const seat = players.findIndex((name, at) => !name || players.indexOf(name) < at);
  if (seat >= 0) {
    const why = players[seat] ? words.twice.replace("{name}", players[seat]) : words.who;
    return { field: form.elements[`name${seat}`], why };
  }
  const options = [...form.elements].filter(({ name }) => name?.startsWith(`${ruleset}.`));
  const field = options.find((each) => !each.checkValidity());
  return field && { field, why: field.validationMessage };
}

function say(text, field) {
  problem.textContent = text;
  problem.hidden = !text;
  field?.focus();
  if (text) problem.scrollIntoView({ block: "nearest" });
}

async function startHere(ruleset, record) {
  const kept = await window.caches?.match(TABLE);
  if (!("here" in ruleset.dataset) || !kept) return say(words.needs);
  const refusal = refusalOf(record);
  if (refusal) return say(refusal.why, refusal.field);
  // After going back, the key may be that of a table with other players.
  const before = Starts.find(record.key);
  if (before && JSON.stringify(before.fields) !== JSON.stringify(record.fields)) record.key = Send.newKey();
  try {
    Starts.put(record);
  } catch {
    return say(words.full);
  }
  navigator.storage?.persist?.();
  location.assign(`${TABLE}#${record.key}`);
}

async function start() {
  say("");
  const ruleset = rulesetOf();
  const record = recordOf(ruleset);
  const { address, status } = await Starts.ask(record, Starts.PATIENCE_OF_A_FORM);
  if (address) location.assign(address);
  // The server's page shows each reason at its place.
  else if (status) HTMLFormElement.prototype.submit.call(form);
  else await startHere(ruleset, record);
}

let busy = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  const { submitter } = event;
  if (submitter) submitter.disabled = true;
  start().finally(() => {
    busy = false;
    if (submitter) submitter.disabled = false;
  });
});

// The last table that only this phone has: its players again.
function again({ fields }) {
  for (const [name, value] of fields) {
    const field = form.elements[name];
    if (/^(name[0-9]|family|form\..*)$/.test(name) && field) field.value = value;
  }
  form.dispatchEvent(new Event("change"));
}

// A page that was kept has the key of another table.
if (document.body.matches(".offline")) {
  form.elements.key.value = Send.newKey();
  const [last] = Starts.all();
  if (last) again(last);
}
