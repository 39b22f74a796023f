// Going on without signal: the page as it will be once what waits is written.
"use strict";

const Ahead = (() => {
  // Simple sums from what the page says, the server decides later.

  function stateAfter(items) {
    const source = document.getElementById("game-state");
    if (!source) return null;
    const state = JSON.parse(source.textContent);
    for (const { effect } of items) apply(state, effect);
    return state;
  }

  function apply(state, effect) {
    if (effect.type === "stopped") state.over = true;
    if (effect.type === "adjustment" && state.sums && Number.isInteger(effect.points)) {
      state.totals[state.sides[effect.seat]] += effect.points;
    }
    if (effect.type !== "deal") return;
    const contract = state.contracts[effect.contract];
    if (!contract) return;
    declare(state, effect.contract, contract);
    if (!state.sums) state.totals = state.totals.map(() => "…");
    for (const [unit, numbers] of effect.counts) {
      for (const [side, number] of numbers) {
        if (state.sums) state.totals[side] += contract.values[unit] * number;
        if (unit === "tricks" && number === 13 && isKingDeal(state, contract)) state.over = true;
      }
    }
    if (effect.declared || (effect.king && state.king === "ends-game")) state.over = true;
    state.turns += 1;
    state.declarer = (state.first + Math.floor(state.turns / state.inARow)) % state.players.length;
    state.deal += 1;
    state.plan.shift();
    if (state.deals && state.deal > state.deals) state.over = true;
  }

  // A contract used up, for all and for whoever has declared it, with a partner.
  function declare(state, id, contract) {
    if (contract.left !== null) contract.left -= 1;
    state.sides.forEach((side, seat) => {
      if (side !== state.sides[state.declarer]) return;
      if (contract.kind in state.left[seat]) state.left[seat][contract.kind] -= 1;
      state.named[seat][id] = (state.named[seat][id] ?? 0) + 1;
    });
  }

  const isKingDeal = (state, contract) =>
    state.king === "ends-game" && (state.kingDeals === "all" || contract.kind === "trump");

  function paint(form, state) {
    const count = state.players.length;
    const put = (name, text) => { for (const found of form.querySelectorAll(`[data-${name}]`)) found.textContent = text; };
    put("deal", state.deals ? Math.min(state.deal, state.deals) : state.deal);
    put("number-of-deal", state.deal);
    put("declarer", state.players[state.declarer]);
    put("dealer", state.players[(state.declarer + count - 1) % count]);
    // Of two players the one who does not deal cuts.
    put("cutter", state.players[(state.declarer + (count > 2 ? 1 : 0)) % count]);
    form.elements.declarer.value = state.declarer;
    const kinds = Object.entries(state.left[state.declarer]);
    const open = kinds.filter(([, number]) => number > 0);
    const must = form.querySelector("[data-must]");
    must.hidden = open.length !== 1 || kinds.length < 2;
    must.textContent = must.hidden ? "" : state.must[open[0][0]];
    Asks.paint(form, state);
    for (const radio of form.querySelectorAll("input[name=contract]")) paintContract(radio, state);
    const fixed = state.plan.length ? state.plan[0].length === 1 : Object.keys(state.contracts).length === 1;
    form.querySelector(".contracts")?.classList.toggle("fixed", fixed || isLastOffered(form));
    for (const tile of form.querySelectorAll(".tile")) paintTile(tile, state);
    const reasons = form.querySelector(".reasons");
    if (reasons) reasons.hidden = true;
    const area = form.querySelector(".play-area");
    if (area) area.hidden = Boolean(state.over);
  }

  const isLastOffered = (form) => form.querySelector(".offer")?.dataset.left === "1";

  function paintContract(radio, state) {
    const contract = state.contracts[radio.value];
    const first = contract.after && state.contracts[contract.after].left > 0;
    const ofKind = state.left[state.declarer][contract.kind] ?? 1;
    const own = state.named[state.declarer][radio.value] ?? 0;
    const inStage = !state.plan.length || state.plan[0].includes(radio.value);
    const possible = contract.left !== 0 && ofKind > 0 && !(own >= (contract.each ?? Infinity)) && inStage && !first;
    const row = radio.closest(".contract");
    radio.disabled = !possible;
    for (const suit of row.querySelectorAll("[name=trump]")) suit.disabled = !possible;
    row.querySelector(".pick").classList.toggle("taken", !possible);
    const left = row.querySelector("[data-left] b");
    if (left) left.textContent = contract.left;
    row.querySelector(".hint")?.remove();
  }

  function paintTile(tile, state) {
    const seats = (tile.dataset.seats ?? tile.dataset.seat).split(" ").map(Number);
    const seat = seats[0];
    tile.classList.toggle("declares", seats.includes(state.declarer));
    const total = tile.querySelector(".total");
    if (total) total.textContent = Kingscore.points(state.totals[state.sides[seat]]);
    for (const part of tile.querySelectorAll("[data-kind]")) {
      part.querySelector("b").textContent = part.dataset.kind ? state.left[seat][part.dataset.kind] : leftInAll(state, seat);
    }
  }

  function leftInAll(state, seat) {
    const each = Object.values(state.contracts).reduce((sum, contract) => sum + (contract.each ?? 0), 0);
    return each - Object.values(state.named[seat]).reduce((sum, times) => sum + times, 0);
  }

  return { stateAfter, paint };
})();
