// Draws the entries that wait on this phone into the sheet, with a mark.

import * as Ending from "./ending.js";
import * as Fold from "./fold.js";
import * as Form from "./table.js";
import * as Preview from "./preview.js";
import { askToDiscard } from "./ask.js";

const words = document.getElementById("outbox")?.dataset;
const one = (selector) => document.querySelector(`#table ${selector}`);
const squeeze = (text) => text.replace(/\s+/g, " ").trim();

function made(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function button(text, action, className = "link") {
  const element = made("button", className, text);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}

// Labels.

// A hand in which no contract is named: who, and how many tricks.
function handOf(form, submitter) {
  if (submitter.value !== "deal") return "";
  const ticked = [...form.querySelectorAll(".hand :checked")].filter((input) => input.value !== "");
  return ticked.map((input) => squeeze(input.closest("label").querySelector(".who, span:last-child").textContent)).join(", ");
}

// The chosen and typed values for points, new cards or a stop.
function fieldsOf(form) {
  const fields = [...form.elements].filter((field) => field.matches("select, input:not([type=hidden], [type=checkbox])"));
  return fields.map((field) => (field.options ? field.selectedOptions[0].textContent : field.value)).filter(Boolean).join(", ");
}

function labelOf(form, submitter) {
  const contract = Form.contractOf(form);
  const said = squeeze(submitter.textContent);
  if (form.dataset.outbox === "undo") return `${said}: ${squeeze(one(".last .what").textContent)}`;
  if (contract) return squeeze(contract.closest(".pick").querySelector(".name").textContent);
  if (form.matches(".entry")) return handOf(form, submitter) || said;
  return [submitter.value === "adjustment" ? "" : said, fieldsOf(form)].filter(Boolean).join(": ");
}

// Rows.

// Draw all waiting entries in order; those after a refused one do not count yet.
function draw(items, act) {
  const state = Preview.read();
  if (!items.length && !state?.here) return;
  const rows = [];
  let counts = Boolean(state);
  let isAhead = Boolean(state?.here);
  items.forEach((item, at) => {
    counts &&= !item.refused;
    isAhead ||= counts;
    // It is in the form.
    if (item.editing) return;
    const before = counts && structuredClone(state);
    if (counts) Preview.apply(state, item.effect);
    rows.push(...rowsOf(item, items[at + 1], counts ? [before, state] : null));
    rows.push(doneTo(item, at === items.length - 1, act));
  });
  if (rows.length) body().append(...rows);
  if (isAhead) drawState(state);
  line(items.filter((item) => !item.editing), state, act);
}

function body() {
  const sheet = one(".sheet");
  one(".nothing-yet")?.remove();
  return sheet.tBodies[0] ?? sheet.createTBody();
}

const columns = () => Number(one(".sheet").dataset.sides);

function rowsOf(item, next, states) {
  const { effect } = item;
  if (effect.type === "undo") {
    for (const row of rowsOfLast()) row.classList.add("undone");
    return [];
  }
  // A named and counted deal is one line; the server may already know its name.
  if (effect.type === "deal" && states?.[0].open && states[0].open.type !== "named") rowsOfLast().forEach((row) => { row.hidden = true; });
  if (effect.type === "named" && next && !next.refused) return [];
  return [effect.type === "deal" && effect.symbol ? dealRow(effect, states) : slimRow(item, states)];
}

function rowsOfLast() {
  const rows = [...document.querySelectorAll("#table .sheet tr[data-position]")];
  return rows.filter((row) => row.dataset.position === rows.at(-1).dataset.position);
}

const symbolOf = ({ symbol, colour }) => {
  const shown = made("span", `symbol ${colour ?? ""}`, symbol ?? "");
  shown.ariaHidden = "true";
  return shown;
};

// Numbers distinguish deals of one contract; only entries that count have totals.
function dealRow(effect, states) {
  const sides = [...Array(columns()).keys()];
  const isDeclared = states?.[0].rules?.contracts.find(({ id }) => id === effect.contract)?.declared;
  const cells = sides.map((side) => {
    const numbers = effect.counts.map(([, all]) => all.find(([of]) => of === side)?.[1] ?? 0);
    const took = made("span", "took", numbers.join("·"));
    if (!states) return made("td", "score", took);
    const [state] = states;
    const [before, after] = states.map(({ totals }) => totals[side]);
    const points = Fold.number(after - before);
    if (points) took.append(" ", made("span", "soft", points > 0 ? `+${Fold.text(points)}` : Fold.text(points)));
    const declares = isDeclared && state.sides[state.declarer] === side;
    const by = declares && state.players.length > sides.length ? [made("span", "by", state.players[effect.namedBy ?? state.declarer])] : [];
    return made("td", declares ? "score declares" : "score", made("b", "", Fold.text(after)), ...by, took);
  });
  const number = states ? made("th", "", states[0].deal) : made("td");
  if (states) number.scope = "row";
  const contract = made("td", "of-contract", made("span", "", symbolOf(effect), made("span", "short soft", effect.short ?? "")));
  return made("tr", "waits", number, contract, ...cells, made("td", "of-sum"));
}

const isHand = ({ type }) => /^(deal|named|passed)$/.test(type);

function slimRow(item, states) {
  const { effect } = item;
  const note = made("td", "", made("span", "note", symbolOf(effect), effect.type === "named" ? ` ${item.label}: ${words.playing}` : ` ${item.label}`));
  note.colSpan = columns() + 1;
  const number = states && isHand(effect) ? states[0].deal : "";
  return made("tr", "slim waits", made("td", "hand", number), note, made("td", "of-sum"));
}

// The mark of an item with its actions: only the last waiting entry can be withdrawn.
function doneTo(item, isLast, act) {
  const mark = made("span", "state", item.refused ? `${words.refused} ${item.label}` : words.waiting.replace(/\s*:\s*$/, ""));
  const cell = made("td", "", mark);
  if (item.refused) cell.append(made("span", "why", item.refused));
  const again = item.refused ? item.html : isLast && item.effect.type === "deal" && one("form.entry");
  if (again) cell.append(" ", button(words.edit, () => act.edit(item)));
  if (item.refused || isLast) cell.append(" ", button(words.discard, () => act.discard(item)));
  cell.colSpan = columns() + 1;
  return made("tr", `marks waits${item.refused ? " refused" : ""}`, made("td"), cell, made("td", "of-sum"));
}

// Update sums and quotas below, and the form of the next entry.
function drawState(state) {
  one(".check").hidden = true;
  const seats = [...Array(columns()).keys()].map((side) => state.sides.indexOf(side));
  document.querySelectorAll("#table .quota").forEach((row, at) => {
    const kind = Object.keys(state.left[0])[at];
    row.querySelectorAll("td:not(.of-sum)").forEach((cell, side) => { cell.textContent = state.left[seats[side]][kind]; });
  });
  const form = one("form.entry");
  const end = state.over && Ending.draw(state);
  if (form && end) {
    form.replaceWith(end);
    for (const part of document.querySelectorAll("#table .quota, #table .more details:has(#write-stop)")) part.hidden = true;
  } else if (form && !form.matches(".sealed")) Form.clear(Preview.paint(form, state));
}

// The line above shows their number, instead of the last entry.
function line(items, state, act) {
  if (!items.length) return;
  const last = items.at(-1);
  const refused = items.find((item) => item.refused);
  const text = refused ? `${words.refused} ${refused.label}` : state?.over ? words.only ?? words.over : `${words.waiting} ${items.length}`;
  const says = made("span", "what", text);
  const undo = () => askToDiscard(last, words.discard, () => act.discard(last));
  const after = refused ? refused.html && button(words.edit, () => act.edit(refused)) : button(words.undo, undo, "undo");
  const bar = one(".last");
  if (!bar) return;
  const icon = bar.querySelector(".undo svg");
  if (icon && !refused) after.prepend(icon);
  bar.className = `last waits${refused ? " refused" : ""}${items.some((item) => item.waited) ? "" : " late"}`;
  bar.replaceChildren(says, after || "");
}

export { draw, labelOf, button };
