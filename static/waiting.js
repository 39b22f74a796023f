// Draws the entries that wait on this phone into the sheet, with a mark.

import * as Ending from "./ending.js";
import * as Fold from "./fold.js";
import * as Form from "./table.js";
import * as Preview from "./preview.js";
import * as Roles from "./roles.js";
import { askToDiscard } from "./ask.js";

const words = document.getElementById("outbox").dataset;
const one = (selector) => document.querySelector(`#table ${selector}`);

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

// Draw all waiting entries in order, each change at its row; those after a refused one do not count
// yet. For one that is edited, the form stands as it was before it.
function draw(items, act) {
  const state = Preview.read();
  if (!items.length && !state?.here) return;
  const toCorrect = one("#to-correct");
  if (toCorrect && state && items.some(({ effect }) => "position" in effect)) {
    one(".end").replaceWith(one(".last"), toCorrect.content);
    Form.arrive();
  }
  let counts = Boolean(state);
  let isAhead = Boolean(state?.here);
  let edited = null;
  let before = null;
  let isBehind = false;
  items.forEach((item, at) => {
    const position = item.effect.position ?? item.key;
    const was = state && structuredClone(state);
    // Another phone may have ended the game.
    counts &&= !item.refused && !(state.over && item.effect.type === "deal");
    isAhead ||= counts;
    if (counts && !item.isNew) Preview.apply(state, { ...item.effect, position });
    if (item.editing && !item.html) {
      edited = item;
      before = was;
      Preview.rewind(before, position);
    }
    // It is in the form.
    if (!item.editing) {
      const rows = rowsOf(item, items[at + 1], counts ? [was, state] : null, act);
      const last = rowsAt(position).at(-1);
      rows.push(doneTo(item, at === items.length - 1, isBehind, act));
      if (last) last.after(...rows);
      else body().append(...rows);
    }
    isBehind ||= Boolean(item.refused || item.editing);
  });
  if (before || isAhead) drawState(before ?? state, state, edited);
  line(items, state, act);
}

const rowsAt = (position) => [...document.querySelectorAll(`#table .sheet tr:is([data-position="${position}"], [data-item="${position}"])`)];

function body() {
  const sheet = one(".sheet");
  one(".nothing-yet")?.remove();
  return sheet.tBodies[0] ?? sheet.createTBody();
}

const columns = () => Number(one(".sheet").dataset.sides);

function rowsOf(item, next, states, act) {
  const { effect } = item;
  if (effect.type === "correct" || effect.type === "withdraw") {
    if (states) amend(item, states[1], act);
    if (effect.type === "withdraw") takeOff(effect.position);
    return [];
  }
  if (effect.type === "names") rename(effect.players);
  // A named and counted deal is one line; the server may already know its name.
  if (effect.type === "deal" && states?.[0].open && states[0].open.type !== "named") rowsOfLast().forEach((row) => { row.hidden = true; });
  if (effect.type === "named" && next && !next.refused) return [];
  const edit = states && one("form.entry") && (() => act.edit(item));
  const row = effect.type === "deal" && effect.symbol ? dealRow(effect, states, edit) : slimRow(item, states, edit);
  row.dataset.item = item.key;
  return [row];
}

// The new numbers of a row, and the totals of those after it.
function amend({ effect, ...item }, state, act) {
  const { position, to } = effect;
  const [old, ...marks] = rowsAt(position);
  const row = state.rows.find((each) => each.position === position);
  if (row && to?.symbol && old) {
    const was = { ...state, deal: old.querySelector("th").textContent, totals: row.before, declarer: row.declarer };
    const drawn = dealRow(to, [was, { totals: row.after }], one("form.entry") && (() => act.edit(item)));
    drawn.dataset.position = position;
    old.replaceWith(drawn);
    for (const mark of marks) mark.remove();
  }
  const note = to && !to.symbol && old?.querySelector(".note");
  if (row && note) {
    note.textContent = item.label;
    for (const [side, soft] of rowsAt(position).flatMap((line) => [...line.querySelectorAll(".soft")]).entries()) {
      soft.textContent = pointsText(row.before[side], row.after[side]);
    }
  }
  for (const each of state.rows) {
    const marks = "declarer" in each && each.contract ? Roles.marksOf({ ...state, declarer: each.declarer }, each) : null;
    for (const [side, cell] of rowsAt(each.position).flatMap((line) => [...line.querySelectorAll(".score")]).entries()) {
      cell.querySelector("b").textContent = Fold.text(each.after[side]);
      if (!marks) continue;
      const own = ["declares", "deals"].find((mark) => side === state.sides[marks[mark]]);
      for (const mark of ["declares", "deals"]) cell.classList.toggle(mark, mark === own);
    }
  }
}

// The deals after it have other numbers.
function takeOff(position) {
  const lines = [...document.querySelectorAll("#table .sheet tbody tr")];
  const off = rowsAt(position);
  for (const line of off) line.classList.add("undone");
  if (!off[0]?.querySelector("th")) return;
  for (const line of lines.slice(lines.indexOf(off.at(-1)) + 1)) {
    const number = line.querySelector("th");
    if (number) number.textContent -= 1;
  }
}

function rename(players) {
  players.forEach((name, seat) => {
    for (const who of document.querySelectorAll(`#table .who.seat-${seat}`)) who.firstChild.nodeValue = name;
    for (const option of document.querySelectorAll(`#table :is([name=seat], [name=by]) [value="${seat}"]`)) option.textContent = name;
    for (const field of document.querySelectorAll(`#table [name=name${seat}]`)) field.defaultValue = name;
  });
}

function rowsOfLast() {
  const rows = [...document.querySelectorAll("#table .sheet tr[data-position]")];
  return rows.filter((row) => row.dataset.position === rows.at(-1).dataset.position);
}

// By it, whoever runs the server finds the reason in the log.
const numberOf = (request) => made("small", "request", `${words.request} ${request}`);

const symbolOf = ({ symbol, colour }) => {
  const shown = made("span", `symbol ${colour ?? ""}`, symbol ?? "");
  shown.ariaHidden = "true";
  return shown;
};

function pointsText(before, after) {
  const points = Fold.number(after - before);
  return points ? `${points > 0 ? "+" : ""}${Fold.text(points)}` : "";
}

// Numbers distinguish deals of one contract; only entries that count have totals.
function dealRow(effect, states, edit) {
  const sides = [...Array(columns()).keys()];
  const marks = states ? Roles.marksOf(states[0], effect) : {};
  const cells = sides.map((side) => {
    const numbers = effect.counts.map(([, all]) => all.find(([of]) => of === side)?.[1] ?? 0);
    const took = made("span", "took", numbers.join("·"));
    if (!states) return made("td", "score", took);
    const [state] = states;
    const [before, after] = states.map(({ totals }) => totals[side]);
    const points = pointsText(before, after);
    if (points) took.append(" ", made("span", "soft", points));
    const mark = ["declares", "deals"].find((each) => state.sides[marks[each]] === side);
    const by = mark && state.players.length > sides.length ? [made("span", "by", state.players[marks[mark]])] : [];
    return made("td", mark ? `score ${mark}` : "score", made("b", "", Fold.text(after)), ...by, took);
  });
  const number = states ? made("th", "", states[0].deal) : made("td");
  if (states) number.scope = "row";
  const contract = [symbolOf(effect), made("span", "short soft", effect.short ?? "")];
  const opens = edit ? button("", edit) : made("span");
  opens.append(...contract);
  return made("tr", "waits", number, made("td", "of-contract", opens), ...cells, made("td", "of-sum"));
}

const isHand = ({ type }) => /^(deal|named|passed)$/.test(type);

function slimRow(item, states, edit) {
  const { effect } = item;
  const says = edit ? button("", edit, "link note") : made("span", "note");
  says.append(symbolOf(effect), effect.type === "named" ? ` ${item.label}: ${words.playing}` : ` ${item.label}`);
  const note = made("td", "", says);
  note.colSpan = columns() + 1;
  const number = states && isHand(effect) ? states[0].deal : "";
  return made("tr", "slim waits", made("td", "hand", number), note, made("td", "of-sum"));
}

const entryOf = ({ effect }) => effect.to?.type ? effect.to : effect;

// Where the page has a form for what it says; of a refused entry the server may have given one.
function isEditable(item) {
  const { effect, refused, html } = item;
  return html || ((effect.to?.type || !refused) && /^(deal|adjustment)$/.test(entryOf(item).type) && one("form.entry"));
}

// The mark of an item with its actions; of new entries only the last has them, the others in their row.
function doneTo(item, isLast, isBehind, act) {
  const waiting = isBehind ? words.behind : words.waiting.replace(/\s*:\s*$/, "");
  const cell = made("td", "", made("span", "state", item.refused ? `${words.refused} ${item.label}` : waiting));
  if (item.refused) cell.append(made("span", "why", item.refused));
  if (item.request) cell.append(numberOf(item.request));
  const acts = item.refused || isLast || "position" in item.effect;
  if (acts && isEditable(item)) cell.append(" ", button(words.edit, () => act.edit(item)));
  if (acts) cell.append(" ", button(words.discard, () => act.discard(item)));
  cell.colSpan = columns() + 1;
  return made("tr", `marks waits${item.refused ? " refused" : ""}`, made("td"), cell, made("td", "of-sum"));
}

// Update sums and quotas below, and the form of the next entry, or of that which is edited.
function drawState(at, state, edited) {
  one(".check").hidden = true;
  const seats = [...Array(columns()).keys()].map((side) => state.sides.indexOf(side));
  document.querySelectorAll("#table .quota").forEach((row, turn) => {
    const kind = Object.keys(state.left[0])[turn];
    row.querySelectorAll("td:not(.of-sum)").forEach((cell, side) => { cell.textContent = state.left[seats[side]][kind]; });
  });
  const form = one("form.entry");
  const end = state.over && !edited && Ending.draw(state);
  if (form && end) {
    form.replaceWith(end);
    for (const part of document.querySelectorAll("#table .quota, #table .more details:has(#write-stop)")) part.hidden = true;
  } else if (form && edited && entryOf(edited).type !== "deal") {
    form.hidden = true;
    if (entryOf(edited).type === "adjustment") showPoints(form);
  } else if (form && !form.matches(".sealed")) {
    Form.clear(Preview.paint(form, at));
    if (edited) one("form.entry .save [value=deal]").textContent = words.correct;
  }
}

// The form of points stands in the place of that of the next deal.
function showPoints(form) {
  const points = one("#write-points");
  points.closest("details").hidden = true;
  points.classList.add("entry");
  points.querySelector("[value=adjustment]").textContent = words.correct;
  form.replaceWith(points);
  Form.arrive();
}

// The line above shows their number, instead of the last entry.
function line(items, state, act) {
  const bar = one(".last");
  const edited = items.find((item) => item.editing && !item.html);
  const shown = items.filter((item) => !item.editing);
  if (!bar || !(edited || shown.length)) return;
  const last = shown.at(-1);
  const refused = shown.find((item) => item.refused);
  const undo = () => askToDiscard(last, words.discard, () => act.discard(last));
  let text = state?.over && !("position" in (last?.effect ?? {})) ? words.only ?? words.over : `${words.waiting} ${shown.length}`;
  let buttons = [];
  if (edited) {
    text = edited.refused ? `${words.refused} ${edited.refused}` : `${words.edit}: ${edited.label}`;
    buttons = [button(words.takeOff, () => act.takeOff(edited)), button(words.cancel, () => act.cancel(edited))];
  } else if (refused) {
    text = `${words.refused} ${refused.label}`;
    if (isEditable(refused)) buttons = [button(words.edit, () => act.edit(refused))];
  } else {
    buttons = [button(words.undo, undo, "undo")];
    const icon = bar.querySelector(".undo svg");
    if (icon) buttons[0].prepend(icon);
  }
  const isRefused = edited ? edited.refused : refused;
  bar.className = `last waits${edited ? " edits" : ""}${isRefused ? " refused" : ""}${edited || shown.some((item) => item.waited) ? "" : " late"}`;
  bar.replaceChildren(made("span", "what", text), ...buttons);
}

export { draw, button, numberOf };
