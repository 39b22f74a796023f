// Keeps typed values and open details of the table page over a newer sheet and a reload.

import * as Form from "./table.js";

const PLACE = `kingscore.draft.${document.getElementById("outbox")?.dataset.game}`;
const all = (selector) => [...document.querySelectorAll(`#table ${selector}`)];
const entry = () => document.querySelector("#table form.entry");
const isTick = (field) => /^(radio|checkbox)$/.test(field.type);

const isChanged = (field) => (field.options
  ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
  : field.checked !== field.defaultChecked || (/^(text|number|textarea)$/.test(field.type) && field.value !== field.defaultValue));

function take() {
  const form = entry();
  const others = all("form[id^=write-]").filter((other) => [...other.elements].some(isChanged));
  return {
    revision: document.getElementById("table").dataset.revision,
    entry: form && Form.begun(form) ? Form.typed(form) : null,
    others: others.map((other) => [other.id, [...other.elements]
      .filter((field) => field.name && field.type !== "hidden")
      .map((field) => [field.name, isTick(field) ? field.checked : field.value])]),
    open: all("details[open] > summary").map((summary) => summary.textContent),
  };
}

const isTyped = (draft) => Boolean(draft?.entry || draft?.others.length);

function put(draft) {
  for (const summary of all("details > summary")) {
    if (draft.open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  if (draft.entry && entry()) Form.restore(entry(), draft.entry);
  for (const [id, fields] of draft.others) {
    for (const [name, value] of fields) {
      const field = document.getElementById(id)?.elements[name];
      if (field) field[isTick(field) ? "checked" : "value"] = value;
    }
  }
}

function load() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) || {};
  } catch {
    return {};
  }
}

// A sealed contract is never stored.
function save(draft) {
  const { now } = draft;
  if ("secret" in (entry()?.dataset ?? {})) Object.assign(now, { entry: null, open: [] });
  const isEmpty = !isTyped(now) && !now.open.length && !draft.aside && !draft.news;
  try {
    if (isEmpty) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, JSON.stringify(draft));
  } catch { /* it lives as long as the page */ }
}

export { take, put, isTyped, load, save };
