// Starts a new table, with a signal at the server and without one on this phone.

import * as Send from "./send.js";
import * as Starts from "./starts.js";

const form = document.querySelector("form#table");
const words = form.dataset;
const TABLE = words.tableOffline;
const problem = form.querySelector(".start-problem");

// Without a signal this page also stands for that of a rematch, which has the same fields.
const rematch = /\/rematch\/$/.test(location.pathname) ? location.pathname : null;

const [, errand, known] = /^#(after|correct)=(.+)$/.exec(location.hash) ?? [];
// A game that was not accepted, which is corrected here; its deals stay.
const refused = errand === "correct" ? Starts.find(known) : undefined;
// The game before, if only this phone has it: the server is sent that first.
const after = Starts.find(refused ? refused.after : known);

const rulesetOf = () => {
  const family = form.querySelector("[name=family]:checked")?.value;
  return form.querySelector(`[name="form.${family}"]:checked`);
};

// An answer that is not the usual one, which comes first; "" for that.
function answerTo(question) {
  const input = question.querySelector("input:not([type=hidden])");
  const { name, usual, other } = question.dataset;
  const chosen = input.type === "radio" && question.querySelector(":checked");
  if (other) return String(input.checked) === usual.toLowerCase() ? "" : `${name}: ${other}`;
  if (chosen) return chosen === input ? "" : `${name}: ${chosen.parentElement.textContent.trim()}`;
  return ["", input.placeholder].includes(input.value) ? "" : `${name}: ${input.value}`;
}

// The record of a table that starts here; the fields are those that the server will be sent.
function recordOf(ruleset) {
  const { pays, pays_amount: amount } = form.elements;
  if (!pays.value) amount.value = "";
  const fields = [...new FormData(form)].filter(([name]) => !/^(key|csrfmiddlewaretoken)$/.test(name));
  const typed = Object.fromEntries(fields);
  const seats = Number(ruleset.dataset.seats);
  const first = Number(typed.first_declarer ?? 0);
  // A rematch calls it so.
  fields.push(["first", String(first)]);
  const questions = [...ruleset.closest(".ruleset").querySelectorAll(".option")];
  const { key, at } = refused ?? { key: form.elements.key.value, at: new Date().toISOString() };
  return {
    after: refused ? refused.after : after?.key, key, at, url: rematch ?? form.getAttribute("action"), fields,
    implied: JSON.parse(ruleset.dataset.implied ?? "[]"), answers: questions.map(answerTo).filter(Boolean).join(" · "),
    ruleset: ruleset.value, name: ruleset.closest("label").querySelector("strong").textContent.trim(),
    players: [...Array(seats).keys()].map((seat) => (typed[`name${seat}`] ?? "").trim()), first: first < seats ? first : 0,
  };
}

// What the server would refuse: the field, and why.
function refusalOf({ players, ruleset, fields }) {
  const typed = Object.fromEntries(fields);
  const seat = players.findIndex((name, at) => !name || players.indexOf(name) < at);
  if (seat >= 0) {
    const why = players[seat] ? words.twice.replace("{name}", players[seat]) : words.who;
    return { field: form.elements[`name${seat}`], why };
  }
  const { pays, pays_amount: amount } = form.elements;
  if (pays.value === "point" && !/[1-9]/.test(amount.value)) return { field: amount, why: amount.dataset.point };
  const clash = [...form.querySelectorAll(`[data-not-with^="${ruleset}."]`)].find((question) => {
    const [name, value] = question.dataset.notWith.split("=");
    return typed[name] === value && !question.querySelector("input").checked;
  });
  if (clash) return { field: clash.querySelector(":checked"), why: clash.dataset.why };
  const options = [...form.elements].filter(({ name }) => name?.startsWith(`${ruleset}.`));
  const field = [...options, amount].find((each) => !each.checkValidity());
  return field && { field, why: field.title || field.validationMessage };
}

// At the field, if it is one: the phone goes there.
function say(text, field) {
  form.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  problem.textContent = text;
  problem.hidden = !text;
  const place = field?.closest(".seat, .pays, .option");
  field?.closest("details")?.setAttribute("open", "");
  if (place) (field.closest(".option > label") ?? field).after(problem);
  else form.querySelector("h1").after(problem);
  field?.setAttribute("aria-invalid", "true");
  field?.focus({ preventScroll: true });
  if (text) (place ?? problem).scrollIntoView({ block: place ? "center" : "nearest" });
}

async function startHere(ruleset, record) {
  const kept = await window.caches?.match(TABLE);
  if (!("here" in ruleset.dataset) || !kept) return say(words.needs);
  const refusal = refusalOf(record);
  if (refusal) return say(refusal.why, refusal.field);
  // After going back, the key may be that of a table with other players.
  const before = Starts.find(record.key);
  if (before && !refused && JSON.stringify(before.fields) !== JSON.stringify(record.fields)) record.key = Send.newKey();
  try {
    Starts.put(record);
  } catch {
    return say(words.full);
  }
  navigator.storage?.persist?.();
  location.assign(`${TABLE}#${record.key}`);
}

async function start(submitter) {
  say("");
  const ruleset = rulesetOf();
  const record = recordOf(ruleset);
  if (submitter?.name) record.fields.push([submitter.name, submitter.value]);
  const refusal = rematch ? null : refusalOf(record);
  if (refusal) {
    say(refusal.why, refusal.field);
    return;
  }
  const { address, status } = after || refused ? {} : await Starts.ask(record, Starts.PATIENCE_OF_A_FORM);
  if (address) location.assign(address);
  // The server's page shows each reason at its place.
  else if (status) HTMLFormElement.prototype.submit.call(Object.assign(form, { action: record.url }));
  else await startHere(ruleset, record);
}

let busy = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  const { submitter } = event;
  if (submitter) submitter.disabled = true;
  start(submitter).finally(() => {
    busy = false;
    if (submitter) submitter.disabled = false;
  });
});

// Whoever sits out has a line behind those of all seats.
function addResting(name, value) {
  const line = document.getElementById("sits-out").content.firstElementChild.cloneNode(true);
  const [who, out] = line.querySelectorAll("input");
  Object.assign(who, { name, value });
  out.value = name.at(-1);
  form.querySelector("fieldset").append(line);
}

// The same people and rules again.
function again(fields) {
  const typed = Object.entries(fields).filter(([name, value]) => form.elements[name] && value !== null && name !== "match");
  for (const [name, value] of typed) {
    const tick = form.querySelector(`[type=checkbox][name="${CSS.escape(name)}"]`);
    if (tick) tick.checked = String(value).toLowerCase() === "true";
    else form.elements[name].value = String(value);
  }
  for (const name of ["name6", "name7"]) if (fields[name] && !form.elements[name]) addResting(name, fields[name]);
  form.dispatchEvent(new Event("change"));
}

function choose(ruleset) {
  const radio = form.querySelector(`[name^="form."][value="${CSS.escape(ruleset)}"]`);
  if (!radio) return;
  radio.checked = true;
  form.elements.family.value = radio.name.slice("form.".length);
}

// The names of a game that wait.
const renamed = (game) => Object.fromEntries(Starts.playersOf(game, []).map((player, seat) => [`name${seat}`, player]));

// The fields of the game before, from the sheet that this phone has kept.
async function fillRematch() {
  const kept = await caches.match(rematch.replace(/rematch\/$/, ""));
  const page = kept && new DOMParser().parseFromString(await kept.text(), "text/html");
  const fields = JSON.parse(page?.getElementById("again")?.textContent ?? "null");
  if (!fields) return say(words.needs);
  choose(fields.ruleset);
  // Where somebody sits out, the seats are others than those of the names that wait.
  again({ ...fields, ...(fields.name6 ? {} : renamed(page.getElementById("outbox").dataset.game)) });
}

// A page that was kept has the key of another table.
if (document.body.matches(".offline")) {
  form.elements.key.value = Send.newKey();
  const [last] = Starts.all();
  if (rematch) fillRematch();
  else if (last && !after) again(Object.fromEntries(last.fields.filter(([name]) => /^(name[0-9]|family|.*\..*)$/.test(name))));
}
const given = refused ?? after;
if (given) again({ ...Object.fromEntries(given.fields), ...renamed(given.key) });
if (refused) say(refused.refused);
