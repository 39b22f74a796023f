// The numbers of a deal: sums, numbers that follow from the others, contradictions.
// It checks sums and bounds by the ruleset that comes with the page; the server decides.

const one = (root, selector) => root.querySelector(selector);
const all = (root, selector) => [...root.querySelectorAll(selector)];

const contractOf = (form) => one(form, "input[name=contract]:checked");
const inputsOf = (unit) => all(unit, "input[type=number]");
const isTyped = (input) => input.value !== "" && !input.dataset.auto;
const number = (input) => Number(input.value) || 0;
const numbersOf = (unit) => inputsOf(unit).map(number);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const hasTotal = (unit) => unit.dataset.total !== "";
const total = (unit) => Number(unit.dataset.total);
const sideOf = (input) => Number(input.closest(".tile").dataset.side);
const nameOf = (unit) => one(unit, "legend").textContent.trim();

const rules = () => JSON.parse(document.getElementById("game-rules")?.textContent || "null");
const ruleOf = (form) => rules()?.contracts.find((contract) => contract.id === contractOf(form)?.value);

function unitsOf(form) {
  const contract = contractOf(form);
  if (!contract) return [];
  const everything = one(form, "[name=all_units]")?.checked;
  return all(form, ".unit").filter((unit) => everything || contract.classList.contains(`counts-${unit.dataset.unit}`));
}

function leftOf(unit, except) {
  const typed = inputsOf(unit).filter((input) => input !== except && isTyped(input));
  return typed.reduce((left, input) => left - number(input), total(unit));
}

const missing = (unit) => total(unit) - sum(numbersOf(unit));

// Fill in a number that follows from the others, and clear it when they change.
function fill(unit, scoring) {
  const blank = inputsOf(unit).filter((input) => !isTyped(input));
  const left = hasTotal(unit) ? leftOf(unit) : 0;
  const out = scoring === "domino" && inputsOf(unit).every((input) => !isTyped(input) || number(input) > 0);
  for (const input of blank) {
    const known = hasTotal(unit) ? left === 0 || (blank.length === 1 && left > 0) : out && blank.length === 1;
    input.value = known ? left : "";
    if (known) input.dataset.auto = "1";
    else delete input.dataset.auto;
  }
}

function write(input, value) {
  input.value = value;
  delete input.dataset.auto;
}

function isComplete(unit) {
  const inputs = inputsOf(unit);
  if (inputs.some((input) => input.value === "" || number(input) < 0)) return false;
  return hasTotal(unit) ? missing(unit) === 0 : inputs.every((input) => number(input) <= Number(unit.dataset.most));
}

// Who was filled in and is tapped may get any number; then the others are put right.
function freeFor(input) {
  if (!input) return -1;
  const unit = input.closest(".unit");
  if (!hasTotal(unit)) return Number(unit.dataset.most);
  return "hand" in input.dataset ? total(unit) : leftOf(unit, input);
}

// So few units that a tap on a player gives one, and a tap too many takes it back.
function give(input) {
  const unit = input.closest(".unit");
  if ("ordered" in unit.dataset) return givePlace(input);
  const left = leftOf(unit);
  if (left > 0) write(input, isTyped(input) ? number(input) + 1 : 1);
  else if (number(input) > 0) write(input, 0);
  else {
    inputsOf(unit).forEach((other) => write(other, ""));
    write(input, 1);
  }
  if (inputsOf(unit).every((other) => number(other) === 0)) inputsOf(unit).forEach((other) => write(other, ""));
}

// Give the next place to the tapped player; a second tap takes it back with those after it.
function givePlace(input) {
  const typed = inputsOf(input.closest(".unit")).filter(isTyped);
  const place = number(input);
  if (!isTyped(input)) write(input, typed.length + 1);
  else typed.filter((other) => number(other) >= place).forEach((other) => write(other, ""));
}

// Return the contradiction between complete numbers: a key of the message, and the unit.

function problemOf(form) {
  const rule = ruleOf(form);
  const units = unitsOf(form);
  if (!rule || !units.length) return null;
  const check = CHECKS[rule.scoring];
  return (check && check(units[0], form)) || (units.length > 1 ? disagreement(units) : null);
}

const CHECKS = {
  domino(unit) {
    const out = numbersOf(unit).filter((left) => left === 0).length;
    if (rules().settings.domino_winners !== "one") return out ? null : { word: "someOut" };
    return out === 1 ? null : { word: "oneOut" };
  },
  "pair-domino"(unit, form) {
    const closer = one(form, "[name=closed_by]:checked");
    const { seats, sides } = rules();
    const inHand = rules().units[unit.dataset.unit].most / (seats / (Math.max(...sides) + 1));
    for (const input of closer ? inputsOf(unit) : []) {
      const own = sideOf(input) === Number(closer.value);
      if (own && number(input) > inHand) return { word: "closerLeft" };
      if (!own && number(input) < 2) return { word: "othersLeft" };
    }
    return null;
  },
  places: (unit) => (new Set(numbersOf(unit)).size === inputsOf(unit).length ? null : { word: "places" }),
};

function disagreement(units) {
  const { checks, units: kinds, seats } = rules();
  const counts = Object.fromEntries(units.map((unit) => [unit.dataset.unit, numbersOf(unit)]));
  const tricks = counts.tricks?.map((taken) => taken && taken * seats + checks.cards_left_over);
  for (const unit of units) {
    const bounds = (checks.within[unit.dataset.unit] || []).map((other) => counts[other]).filter(Boolean);
    if (tricks && kinds[unit.dataset.unit].cards) bounds.push(tricks);
    const at = numbersOf(unit).findIndex((count, side) => bounds.some((bound) => count > bound[side]));
    if (at >= 0) return { word: "disagree", unit, at };
  }
  if (!tricks || !checks.shared_cards) return null;
  // For each way to give out the cards that several units count, the first side with too many cards.
  const shared = checks.shared_cards.map((card) => card.filter((unit) => counts[unit])).filter((card) => card.length > 1);
  const cards = Object.keys(counts).filter((unit) => kinds[unit].cards);
  // With more ways than a phone can try, the server decides.
  if (tricks.length ** shared.length > 5000) return null;
  let at = -1;
  for (let way = 0; way < tricks.length ** shared.length; way += 1) {
    const left = Object.fromEntries(cards.map((unit) => [unit, [...counts[unit]]]));
    const held = tricks.map(() => 0);
    shared.forEach((card, place) => {
      const owner = Math.floor(way / tricks.length ** place) % tricks.length;
      held[owner] += 1;
      for (const unit of card) left[unit][owner] -= 1;
    });
    if (cards.some((unit) => Math.min(...left[unit]) < 0)) continue;
    at = tricks.findIndex((most, side) => held[side] + sum(cards.map((unit) => left[unit][side])) > most);
    if (at < 0) return null;
  }
  return { word: "disagree", unit: units.find((unit) => unit.dataset.unit === "tricks"), at: Math.max(at, 0) };
}

// Points, where they follow from the numbers alone.

const POINTS = {
  "per-unit": (rule, unit, input) =>
    (Object.keys(rule.values).length === 1 ? Number(rule.base ?? 0) : 0) + rule.values[unit.dataset.unit] * number(input),
  "pair-difference"(rule, unit, input) {
    const own = number(input);
    return isComplete(unit) ? rule.values[unit.dataset.unit] * (own - (sum(numbersOf(unit)) - own)) : NaN;
  },
  domino(rule, unit, input) {
    const out = numbersOf(unit).filter((left) => left === 0).length;
    const each = rule.values[unit.dataset.unit];
    return number(input) ? each * number(input) : isComplete(unit) ? (-each * sum(numbersOf(unit))) / out : NaN;
  },
  places: (rule, unit, input) => rule.prizes[number(input) - 1],
};

// The points of a number, or NaN where the form cannot tell.
function pointsOf(form, unit, input) {
  const rule = ruleOf(form);
  if (input.value === "" || !rule || !(rule.scoring in POINTS)) return NaN;
  if (rule.cappotto && rules().settings.cappotto !== "none" && numbersOf(unit).includes(total(unit))) return NaN;
  return POINTS[rule.scoring](rule, unit, input);
}

export {
  one, all, contractOf, ruleOf, rules, inputsOf, isTyped, number, hasTotal, total, sideOf, nameOf, unitsOf,
  leftOf, missing, fill, write, isComplete, freeFor, give, problemOf, pointsOf,
};
