// Going on without signal: the page as it will be once all waiting entries are written.
// Simple sums from the page's data; the server decides later.

import * as Counts from "./counts.js";
import * as DealOptions from "./deal_options.js";
import * as Fold from "./fold.js";
import * as Form from "./table.js";
import { newWriteKey } from "./send.js";

function read() {
  const source = document.getElementById("game-state");
  if (!source) return null;
  const state = JSON.parse(source.textContent);
  const rules = Counts.rules();
  const lines = [...document.querySelectorAll("#table .sheet tr[data-position]")];
  const positions = [...new Set(lines.map(({ dataset }) => Number(dataset.position)))];
  let before = state.totals.map(() => 0);
  const rows = state.rows.map((body, at) => {
    const { type, contract, counts } = body;
    const position = positions[at];
    const version = state.versions[position] ?? position + 1;
    const cells = [...document.querySelectorAll(`#table tr[data-position="${position}"] .score b`)];
    const after = cells.length ? cells.map(({ textContent }) => Fold.number(textContent.trim())) : before;
    const isOpen = type === "deal" && !counts && !("maker" in body || "winner" in body);
    const row = { position, version, type: isOpen ? "named" : type, contract, before, after, fields: fieldsOfBody(body, rules) };
    before = after;
    return row;
  });
  return { ...state, rows, rules, totals: state.totals.map(Fold.number) };
}

// What a row of the sheet would have been typed as; null where the form is asked for more than this.
function fieldsOfBody({ type, author, counts, declarer, sale, king, ...more }, rules) {
  if ((type === "deal" && !(counts && rules)) || Object.values(more).some((value) => typeof value === "object")) return null;
  // A table may tick by itself that the others share the opposite.
  if (type !== "deal") return Object.entries(type === "adjustment" ? { to: "none", ...more } : more).map(([name, value]) => [name, String(value)]);
  const { values } = rules.contracts.find(({ id }) => id === more.contract);
  const numbers = Object.entries(counts).flatMap(([unit, all]) => all.map((number, side) => [`count-${unit}-${side}`, number]));
  const ticks = { king: king !== undefined, all_units: Object.keys(counts).some((unit) => !(unit in values)) };
  return [
    ...Object.entries({ ...more, named_by: declarer, sale_buyer: sale?.buyer, sale_tricks: sale?.tricks }), ...numbers,
    ...Object.entries(ticks).map(([name, on]) => [name, on ? "yes" : undefined]),
  ].filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => [name, value === true ? "yes" : String(value)]);
}

// The rows of the sheet, and those that wait behind them, are what a change of an earlier one goes
// back over.
function apply(state, effect) {
  const row = { ...effect, declarer: state.declarer, before: state.totals };
  CHANGES[effect.type]?.(state, effect);
  if (effect.type in CHANGES_OF_OTHERS) return;
  state.rows.push({ ...row, after: state.totals });
  if (state.target && state.totals.some((total) => total >= state.target)) end(state);
}

// Go back to before the row at a position; return that row and those after it.
function rewind(state, position) {
  const at = state.rows.findIndex((row) => row.position === position);
  const rows = at < 0 ? [] : state.rows.splice(at);
  for (const { type, contract } of [...rows].reverse()) {
    if (/^(deal|passed)$/.test(type)) turn(state, -1);
    if (type === "deal" && state.contracts[contract]) declare(state, contract, state.declarer, -1);
  }
  if (rows.length) Object.assign(state, { totals: rows[0].before, open: null, over: false });
  return rows;
}

// Put another entry in the place of a row, or none; those after it keep their points.
function amend(state, position, to) {
  const [row, ...later] = rewind(state, position);
  if (row && to) apply(state, { ...to, position });
  for (const each of later) {
    const moved = each.after.map((total, side) => (total === "…" || each.before[side] === "…" ? NaN : total - each.before[side]));
    apply(state, { ...each, moved });
  }
}

const end = (state, king = null) => Object.assign(state, { over: true, ending: { king } });

// Points that only the server knows make every total unknown.
function add(state, points) {
  state.totals = state.totals.map((total, side) => (Number.isFinite(points?.[side]) && total !== "…" ? Fold.number(total + points[side]) : "…"));
}

const CHANGES_OF_OTHERS = {
  correct: (state, { position, to }) => amend(state, position, to),
  withdraw: (state, { position }) => amend(state, position),
  names: (state, { players }) => Object.assign(state, { players }),
};
const CHANGES = {
  ...CHANGES_OF_OTHERS,
  stopped: (state) => end(state),
  adjustment(state, { moved, seat, points, to }) {
    const isNumber = Number.isFinite(Fold.number(points ?? ""));
    add(state, moved ?? (isNumber && Fold.adjustment(state.rules, { side: state.sides[seat], points, to }, state.totals.length)));
  },
  named(state, effect) { state.open = effect; },
  void(state) { state.open = null; },
  passed: (state) => turn(state, 1),
  deal: play,
};

function play(state, effect) {
  const deal = { ...effect, declarer: state.declarer };
  const contract = state.contracts[effect.contract];
  add(state, effect.moved ?? Fold.pointsOf(state.rules, deal));
  const king = effect.counts && Fold.kingOf(state.rules, deal);
  if (contract) declare(state, effect.contract, state.declarer, 1);
  turn(state, 1);
  state.open = null;
  if (king || (state.deals && state.deal > state.deals)) end(state, king);
}

function turn(state, by) {
  state.turns += by;
  state.deal += by;
  state.declarer = (state.first + Math.floor(state.turns / state.inARow)) % state.players.length;
}

// Use up a contract (or give it back), for all and for its declarer's side.
function declare(state, id, declarer, times) {
  const contract = state.contracts[id];
  if (contract.left !== null) contract.left -= times;
  state.sides.forEach((side, seat) => {
    if (side !== state.sides[declarer]) return;
    if (contract.kind in state.left[seat]) state.left[seat][contract.kind] -= times;
    state.named[seat][id] = (state.named[seat][id] ?? 0) + times;
  });
}

const valuesOf = (form, submitter) => [...new FormData(form, submitter)]
  .filter(([name, value]) => !/^(csrfmiddlewaretoken|key|revision)$/.test(name) && value !== "");

// What a form writes, as the outbox keeps it: with its key, its fields, and what it changes here.
// A button of a form may be called `action`.
const itemOf = (form, submitter) => ({
  key: newWriteKey(), url: form.getAttribute("action") ?? location.pathname, fields: valuesOf(form, submitter), revision: form.elements.revision.value,
  label: labelOf(form, submitter), effect: effectOf(form, submitter),
});

const squeeze = (text) => text.replace(/\s+/g, " ").trim();

function labelOf(form, submitter) {
  const contract = Form.contractOf(form);
  const said = squeeze(submitter.textContent);
  if (form.dataset.outbox === "names") return effectOf(form, submitter).players.join(", ");
  if (form.dataset.outbox === "undo") return `${said}: ${squeeze(document.querySelector("#table .last .what").textContent)}`;
  if (contract) return squeeze(contract.closest(".pick").querySelector(".name").textContent);
  const isPoints = new FormData(form, submitter).get("type") === "adjustment";
  if (form.matches(".entry") && !isPoints) return handOf(form, submitter) || said;
  return [isPoints ? "" : said, fieldsOf(form)].filter(Boolean).join(": ");
}

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

// Return the effect of the entry in the form; one of another page says of which row it is.
function effectOf(form, submitter) {
  const { outbox } = form.dataset;
  const fields = new FormData(form, submitter);
  const position = fields.get("position");
  if (outbox === "names") return { type: outbox, players: [...fields].filter(([name]) => /^name[0-9]$/.test(name)).map(([, name]) => name.trim()) };
  if (outbox === "undo" || fields.get("action") === "withdraw") return { type: "withdraw", position: Number(position) };
  if (position) return { type: "correct", position: Number(position), to: entryOf(form, fields, fields.get("type")) };
  return entryOf(form, fields, outbox || submitter.value);
}

function entryOf(form, fields, type) {
  const effect = { type };
  if (effect.type === "adjustment") {
    return { ...effect, seat: Number(fields.get("seat")), points: fields.get("points"), to: fields.get("to") };
  }
  const contract = Form.contractOf(form);
  if (type === "deal" && form.querySelector(".hand")) return { ...effect, ...playedOf(fields) };
  if (!contract || !/^(deal|named)$/.test(effect.type)) return effect;
  const counts = Form.unitsOf(form).map((unit) => [
    unit.dataset.unit,
    Form.inputsOf(unit).map((input) => [Counts.sideOf(input), Number(input.value)]),
  ]);
  return {
    ...effect, ...symbolOf(contract, fields.get("trump")), contract: contract.value, trump: fields.get("trump"),
    counts, king: Boolean(fields.get("king")), declared: seatOf(fields, "king_declared_by"),
    namedBy: seatOf(fields, "named_by"),
    blind: Boolean(fields.get("blind")), sale: saleOf(fields),
  };
}

// A hand that nobody names.
function playedOf(fields) {
  const [tricks, alone] = (fields.get("tricks") ?? "").split("-");
  const pile = (name) => [0, 1].map((side) => Number(fields.get(`left-${name}-${side}`)));
  const winner = fields.get("winner");
  return {
    maker: seatOf(fields, "maker"), bid: Number(fields.get("bid")), tricks: Number(tricks),
    alone: Boolean(alone), defendsAlone: seatOf(fields, "defender_alone"),
    winner: /^[01]$/.test(winner) ? Number(winner) : null, left: { reserve: pile("reserve"), stock: pile("stock"), waste: pile("waste") },
  };
}

const seatOf = (fields, name) => (fields.get(name) ? Number(fields.get(name)) : null);

function saleOf(fields) {
  const buyer = seatOf(fields, "sale_buyer");
  return buyer === null ? null : { buyer, tricks: Number(fields.get("sale_tricks")) };
}

function symbolOf(contract, trump) {
  const row = contract.closest(".contract");
  const symbol = row.querySelector(".symbol");
  const suit = row.querySelector(`.suit-${trump} [aria-hidden]`)?.textContent ?? "";
  return { symbol: symbol.textContent + suit, colour: trump ? `suit-${trump}` : symbol.classList[1], short: contract.dataset.short };
}

// Painting.

// Of a deal that is named before it is counted, the form of the step that comes.
function step(form, state) {
  const next = document.getElementById("next-step")?.content.firstElementChild;
  if (!next || form.classList.contains("naming") !== Boolean(state.open)) return form;
  form.replaceWith(next.cloneNode(true));
  Form.arrive();
  return document.querySelector("#table form.entry");
}

function paint(before, state) {
  const form = step(before, state);
  paintHead(form, state);
  if (form.elements.declarer) form.elements.declarer.value = state.declarer;
  const contracts = form.querySelector(".contracts");
  if (contracts) paintContracts(form, contracts, state);
  for (const tile of form.querySelectorAll(".tile, .tile-head")) paintTile(tile, state);
  form.querySelectorAll(".pairs .total").forEach((total, side) => { total.textContent = Fold.text(state.totals[side]); });
  const area = form.querySelector(".play-area");
  if (area) area.hidden = Boolean(state.over);
  return form;
}

function paintHead(form, state) {
  const put = (name, text) => { for (const found of form.querySelectorAll(`[data-${name}]`)) found.textContent = text; };
  put("deal", state.deals ? Math.min(state.deal, state.deals) : state.deal);
  put("number-of-deal", state.deal);
  form.querySelector(".deal").dataset.now = JSON.stringify({ players: state.players, declarer: state.declarer });
  for (const found of form.querySelectorAll("[data-says]")) {
    found.textContent = found.dataset.says.replace("{player}", state.players[state.declarer]);
  }
  const kinds = Object.entries(state.left[state.declarer]);
  const open = kinds.filter(([, number]) => number > 0);
  const must = form.querySelector("[data-must]");
  if (!must) return;
  must.hidden = open.length !== 1 || kinds.length < 2;
  must.textContent = must.hidden ? "" : state.must[open[0][0]];
}

function paintContracts(form, contracts, state) {
  DealOptions.paint(form, state);
  for (const radio of form.querySelectorAll("input[name=contract]")) paintContract(radio, state, "secret" in form.dataset);
  const stage = stageOf(state);
  const fixed = state.open || (stage ? stage.length === 1 : Object.keys(state.contracts).length === 1);
  contracts.classList.toggle("fixed", Boolean(fixed) || isLastOffered(form));
  for (const reasons of form.querySelectorAll(".reasons")) reasons.hidden = true;
}

const stageOf = (state) => state.plan[state.deal - 1];
const isLastOffered = (form) => form.querySelector(".offer")?.dataset.left === "1";

function paintContract(radio, state, isSealed) {
  const contract = state.contracts[radio.value];
  const row = radio.closest(".contract");
  const possible = state.open ? state.open.contract === radio.value : canBeNamed(radio.value, contract, state);
  radio.disabled = !possible && !isSealed;
  for (const suit of row.querySelectorAll("[name=trump]")) {
    const other = Boolean(state.open?.trump) && suit.value !== state.open.trump;
    suit.disabled = !possible || other;
    suit.closest(".suit").hidden = other;
  }
  row.querySelector(".pick").classList.toggle("taken", !possible);
  const signs = radio.dataset.signs?.split("|");
  const times = state.sides.map((side, seat) => (state.sides.indexOf(side) === seat ? (state.named[seat][radio.value] ?? 0) : 0));
  if (signs) row.querySelector(".symbol").textContent = signs[times.reduce((sum, each) => sum + each)] ?? "";
  const left = row.querySelector("[data-left] b");
  if (left) left.textContent = contract.left;
  row.querySelector(".hint")?.remove();
}

function canBeNamed(id, contract, state) {
  const first = Fold.comesFirst(state.rules, state, id);
  const ofKind = state.left[state.declarer][contract.kind] ?? 1;
  const own = state.named[state.declarer][id] ?? 0;
  const inStage = stageOf(state)?.includes(id) ?? true;
  return contract.left !== 0 && ofKind > 0 && !(own >= (contract.each ?? Infinity)) && inStage && !first;
}

function paintTile(tile, state) {
  const seats = (tile.dataset.seats ?? tile.dataset.seat ?? "").split(" ").map(Number);
  if (!tile.dataset.seats && !tile.dataset.seat) return;
  const seat = seats[0];
  const declares = seats.includes(state.declarer);
  // Where hands are dealt and not declared, another mark says so.
  tile.classList.toggle(tile.closest(".makers") ? "deals" : "declares", declares);
  tile.querySelector(".who .visually-hidden")?.remove();
  const total = tile.querySelector(".total");
  if (total) total.textContent = Fold.text(state.totals[state.sides[seat]]);
  for (const part of tile.querySelectorAll("[data-kind]")) {
    part.querySelector("b").textContent = part.dataset.kind ? state.left[seat][part.dataset.kind] : leftInAll(state, seat);
  }
}

function leftInAll(state, seat) {
  const each = Object.values(state.contracts).reduce((sum, contract) => sum + (contract.each ?? 0), 0);
  return each - Object.values(state.named[seat]).reduce((sum, times) => sum + times, 0);
}

export { read, apply, rewind, paint, itemOf, valuesOf, effectOf };
