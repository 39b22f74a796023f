// Going on without signal: the page as it will be once all waiting entries are written.
// Simple sums from the page's data; the server decides later.

import * as Counts from "./counts.js";
import * as DealOptions from "./deal_options.js";
import * as Fold from "./fold.js";
import * as Form from "./table.js";

function read() {
  const source = document.getElementById("game-state");
  if (!source) return null;
  const state = JSON.parse(source.textContent);
  return { ...state, rules: Counts.rules(), totals: state.totals.map(Fold.number) };
}

function apply(state, effect) {
  CHANGES[effect.type]?.(state, effect);
  if (state.target && state.totals.some((total) => total >= state.target)) end(state);
}

const end = (state, king = null) => Object.assign(state, { over: true, ending: { king } });

// Points that only the server knows make every total unknown.
function add(state, points) {
  state.totals = state.totals.map((total, side) => (points && total !== "…" ? Fold.number(total + points[side]) : "…"));
}

const CHANGES = {
  stopped: (state) => end(state),
  adjustment(state, { seat, points, to }) {
    add(state, Number.isFinite(Fold.number(points ?? "")) && Fold.adjustment(state.rules, { side: state.sides[seat], points, to }, state.totals.length));
  },
  named(state, effect) { state.open = effect; },
  void(state) { state.open = null; },
  passed: (state) => turn(state, 1),
  deal: play,
  undo: takeBack,
};

function play(state, effect) {
  const deal = { ...effect, declarer: state.declarer };
  const contract = state.contracts[effect.contract];
  add(state, Fold.pointsOf(state.rules, deal));
  const king = Fold.kingOf(state.rules, deal);
  if (contract) declare(state, effect.contract, state.declarer, 1);
  turn(state, 1);
  state.open = null;
  if (king || (state.deals && state.deal > state.deals)) end(state, king);
}

function takeBack(state) {
  const { last } = state;
  if (last.totals) state.totals = last.totals.map(Fold.number);
  if (last.type === "named") state.open = null;
  if (last.type === "deal" || last.type === "passed") turn(state, -1);
  if (state.contracts[last.contract]) declare(state, last.contract, last.declarer, -1);
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

// Return the effect of the entry in the form.
function effectOf(form, submitter) {
  const { outbox } = form.dataset;
  if (outbox === "undo") return { type: "undo" };
  const effect = { type: outbox || submitter.value };
  const fields = new FormData(form, submitter);
  if (effect.type === "adjustment") {
    return { ...effect, seat: Number(fields.get("seat")), points: fields.get("points"), to: fields.get("to") };
  }
  const contract = Form.contractOf(form);
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
  const count = state.players.length;
  const put = (name, text) => { for (const found of form.querySelectorAll(`[data-${name}]`)) found.textContent = text; };
  put("deal", state.deals ? Math.min(state.deal, state.deals) : state.deal);
  put("number-of-deal", state.deal);
  put("declarer", state.players[state.declarer]);
  put("dealer", state.players[(state.declarer + count - 1) % count]);
  // Of two players the one who does not deal cuts.
  put("cutter", state.players[(state.declarer + (count > 2 ? 1 : 0)) % count]);
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

export { read, apply, paint, effectOf };
