// Points of a deal, its King and the outcome of a game, from the description of a ruleset.
// What a phone without a signal shows; the server decides later.

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

// Points are whole, or "p/q". All parts that are written by hand or shared are such parts, so
// that sums stay exact.
const FINEST = 36000;
const exact = (points) => Math.round(points * FINEST) / FINEST;

function number(points) {
  const [over, under = 1] = String(points).replace("\u2212", "-").replace(",", ".").split("/").map(Number);
  return exact(over / under);
}

const PARTS = {
  "1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/6": "⅙", "5/6": "⅚", "1/5": "⅕", "2/5": "⅖",
  "3/5": "⅗", "4/5": "⅘", "1/8": "⅛", "3/8": "⅜", "5/8": "⅝", "7/8": "⅞",
};
const raised = (number) => String(number).replace(/[0-9]/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
const lowered = (number) => String(number).replace(/[0-9]/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

// Points as on a scoresheet: a real minus sign, and −4½ for −9/2.
function text(points) {
  if (typeof points !== "number" || Number.isInteger(points)) return String(points).replace("-", "\u2212");
  const whole = Math.trunc(Math.abs(points));
  const [over, under] = shortest(Math.round((Math.abs(points) - whole) * FINEST), FINEST);
  return `${points < 0 ? "\u2212" : ""}${whole || ""}${PARTS[`${over}/${under}`] ?? `${raised(over)}⁄${lowered(under)}`}`;
}

function shortest(over, under) {
  const common = (one, other) => (other ? common(other, one % other) : one);
  return [over / common(over, under), under / common(over, under)];
}

const sidesOf = (rules) => [...new Set(rules.sides)].sort();
// Hands that nobody names have the only contract.
const contractOf = (rules, deal) => rules.contracts.find(({ id, named }) => id === deal.contract || !named);

// The numbers of a unit by side; a deal has them in the order of its form.
function column(deal, unit) {
  const found = deal.counts.find(([name]) => name === unit)?.[1];
  return found && [...found].sort(([one], [other]) => one - other).map(([, count]) => count);
}

const SCORINGS = {
  "per-unit": (rules, contract, deal) => sidesOf(rules).map((side) => number(contract.base ?? 0) +
    sum(Object.entries(contract.values).map(([unit, each]) => number(each) * (column(deal, unit)?.[side] ?? 0)))),
  places: (rules, { prizes }, deal) => column(deal, "places").map((place) => number(prizes[place - 1])),
  domino(rules, contract, deal) {
    const left = column(deal, "cards_left");
    const lost = left.map((cards) => number(contract.values.cards_left) * cards);
    const out = left.filter((cards) => cards === 0).length;
    return left.map((cards, side) => (cards === 0 ? -sum(lost) / out : lost[side]));
  },
  "makers-and-defenders"(rules, contract, { maker, tricks, alone, defendsAlone }) {
    const { settings, sides } = rules;
    const isMade = tricks >= 3;
    let won = alone ? settings.euchred_alone : 2;
    if (isMade) won = tricks === 5 ? settings[alone ? "march_alone" : "march"] : 1;
    else if (typeof defendsAlone === "number") won = Math.max(won, tricks ? 0 : 4, alone ? settings.euchred_alone_by_alone : 0);
    return sidesOf(rules).map((side) => ((side === sides[maker]) === isMade ? won : 0));
  },
  "bid-tricks"({ sides, tricks: all }, contract, { maker, bid, tricks }) {
    const won = tricks >= bid ? tricks : -bid;
    return [0, 1].map((side) => (side === sides[maker] ? won : all - tricks));
  },
  "piles-emptied"({ settings }, contract, { winner, left }) {
    if (settings.scoring === "win") return [0, 1].map((side) => Number(side === winner));
    const cards = [0, 1].map((side) => 2 * left.reserve[side] + left.stock[side] + left.waste[side]);
    const most = (side) => Math.max(cards[1 - side] - cards[side], 0);
    return [0, 1].map((side) => (winner === null ? most(side) : Number(side === winner) * (30 + cards[1 - side])));
  },
};

// The points of a side with every unit of a contract, and those of each other side.
const CAPPOTTO = {
  plus14: (each, all, others) => [-each * (all + 1), (each * all + each * (all + 1)) / others],
  plus13: (each, all) => [-each * all, 0],
};

const STEPS = {
  cappotto(rules, contract, deal, points) {
    const [[unit, each]] = Object.entries(contract.values);
    const all = rules.units[unit].total;
    const taken = column(deal, unit);
    if (!CAPPOTTO[rules.settings.cappotto] || !contract.cappotto || !taken.includes(all)) return points;
    const scores = CAPPOTTO[rules.settings.cappotto](number(each), all, taken.length - 1);
    return taken.map((count) => (count === all ? scores[0] : scores[1]));
  },
  blind: (rules, contract, deal, points) =>
    points.map((each, side) => (deal.blind && side === rules.sides[deal.declarer] ? 2 * each : each)),
  sale(rules, contract, deal, points) {
    if (!deal.sale) return points;
    const moved = [...points];
    const units = Object.keys(contract.values).join();
    const each = units === "tricks" ? number(contract.values.tricks) : 1;
    const price = Math.abs(each) * deal.sale.tricks;
    const own = points[deal.sale.buyer] - number(contract.base ?? 0);
    const twice = price > own && each > 0 && rules.settings.sale_debt !== "single";
    const paid = twice ? 2 * price - own : price;
    moved[deal.sale.buyer] -= paid;
    moved[deal.declarer] += paid;
    return moved;
  },
};

// The points by side; null where only the server can tell.
function pointsOf(rules, deal) {
  const contract = rules && contractOf(rules, deal);
  if (!contract || !(contract.scoring in SCORINGS) || !rules.steps.every((step) => step in STEPS)) return null;
  const points = SCORINGS[contract.scoring](rules, contract, deal);
  return rules.steps.reduce((before, step) => STEPS[step](rules, contract, deal, before), points).map(exact);
}

// A King made or failed by a side, which ends the game; else null.
function kingOf(rules, deal) {
  const contract = rules && contractOf(rules, deal);
  const rule = rules?.settings.king ?? "off";
  if (!contract || rule === "off") return null;
  const taker = takerOf(rules, deal, contract.kind === "trump");
  if (rule === "declared") {
    if (typeof deal.declared !== "number") return null;
    const side = rules.sides[deal.declared];
    return { side, made: taker === side };
  }
  const counts = contract.kind === "trump" || (rules.settings.king_deals ?? "all") === "all";
  return taker === null || !counts ? null : { side: taker, made: true };
}

// The side with every trick, or as the tick says, with everything that was counted.
function takerOf(rules, deal, isTrump) {
  const tricks = column(deal, "tricks");
  if (tricks) {
    const all = rules.units.tricks.total;
    const [needed, inARow] = isTrump ? [rules.settings.king_tricks ?? all, rules.settings.king_in_a_row] : [all, 0];
    const most = Math.max(...tricks);
    return most >= needed || (inARow && deal.king && most >= inARow) ? tricks.indexOf(most) : null;
  }
  if (!deal.king) return null;
  const held = sidesOf(rules).map((side) => sum(deal.counts.map(([unit]) => column(deal, unit)[side])));
  return held.indexOf(Math.max(...held));
}

// Points written by hand; with `to`, the other sides share the opposite.
function adjustment(rules, { side, points, to }, sides) {
  const each = number(points);
  const rest = to === "others" ? -each / (sides - 1) : 0;
  return [...Array(sides).keys()].map((other) => exact(other === side ? each : rest));
}

// How a finished game ended: ranks by side, and who is out, where the game knows that.
function outcome(rules, { totals, ending }) {
  const king = ending.king;
  const lifted = (side) => (king?.side === side ? (king.made ? 1 : -1) : 0);
  const above = (one, other) => lifted(one) - lifted(other) || totals[one] - totals[other];
  const sides = [...totals.keys()];
  const ranks = sides.map((side) => 1 + sides.filter((other) => above(other, side) > 0).length);
  const kind = rules.settings.outcome;
  if (kind === "highest-wins" || (kind === "pair-out-and-sunk" && !king && totals.every((total) => total === 0))) {
    return { ranks, out: null };
  }
  const bar = rules.settings.out === "mean" ? sum(totals) / totals.length : 0;
  return { ranks, out: sides.filter((side) => (king ? (side === king.side) === king.made : totals[side] > bar)) };
}

// The contract that an order of play wants before this one; null where it may come now.
function comesFirst(rules, state, id) {
  const order = rules?.settings.order;
  if (order !== "ordered" && order !== "strict") return null;
  const open = rules.contracts.filter(({ id: each, kind }) => kind === "penalty" && state.contracts[each].left !== 0);
  const expense = ({ sum: whole, values }) =>
    (rules.settings.order_by === "unit" ? Math.min(...Object.values(values).map(number)) : number(whole));
  const dearest = open.reduce((least, each) => (!least || expense(each) < expense(least) ? each : least), null);
  const contract = rules.contracts.find((each) => each.id === id);
  if (!dearest) return null;
  if (contract.kind === "trump") return order === "strict" && state.left.some((left) => left.penalty > 0) ? dearest : null;
  return contract.kind === "penalty" && expense(dearest) < expense(contract) ? dearest : null;
}

export { number, text, pointsOf, kingOf, adjustment, outcome, comesFirst };
