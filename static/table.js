// Tapping instead of typing: one pad of numbers for the player whose turn it is.
// Without this script the form works with its plain inputs.

import * as Counts from "./counts.js";
import * as DealOptions from "./deal_options.js";
import * as Hands from "./hands.js";
import { showRoles } from "./roles.js";

const active = new WeakMap(); // form → the input the pad writes into
const untouched = new WeakMap(); // form → its values before anything was typed
const MINUS = "\u2212";
const NOT_TYPED = /^(csrfmiddlewaretoken|key|revision|declarer|holder|writer|type)$/;
const { one, all, contractOf, inputsOf, isTyped, number, unitsOf, leftOf, write, isComplete } = Counts;

const points = (number) => String(number).replace("-", MINUS);
const signed = (number) => (number > 0 ? `+${number}` : points(number));
const isField = (name) => !NOT_TYPED.test(name);
const isFixed = (form) => Boolean(one(form, ".contracts.fixed"));

function firstEmpty(form, after) {
  const inputs = unitsOf(form).filter((unit) => !("oneTap" in unit.dataset)).flatMap(inputsOf);
  const start = inputs.indexOf(after) + 1;
  return [...inputs.slice(start), ...inputs.slice(0, start)].find((input) => !isTyped(input) && input.value === "");
}

function refresh(form) {
  showRoles(form);
  if (!one(form, ".pad")) {
    Hands.refresh(form);
    return;
  }
  const contract = contractOf(form);
  const units = unitsOf(form);
  form.classList.toggle("chosen", Boolean(contract));
  const seats = one(form, ".seats");
  if (seats) seats.hidden = Boolean(contract);
  // Without its contract a fixed form has nothing left to tap.
  one(form, ".change").hidden = isFixed(form) || !hasChoice(form) || !DealOptions.canStepBack(form);
  for (const row of all(form, ".contract")) row.classList.toggle("picked", Boolean(contract) && row.contains(contract));
  for (const unit of all(form, ".unit")) unit.hidden = !units.includes(unit);
  units.forEach((unit) => Counts.fill(unit, Counts.ruleOf(form)?.scoring));
  let input = active.get(form);
  if (!input || !units.some((unit) => unit.contains(input))) input = firstEmpty(form);
  for (const other of all(form, "[data-hand]")) if (other !== input) delete other.dataset.hand;
  const given = input?.dataset.auto && !("hand" in input.dataset);
  if (units.length && units.every(isComplete) && given) input = undefined;
  active.set(form, input);
  DealOptions.refresh(form);
  const wrong = whatIsMissing(form, units);
  showTiles(form, units, wrong);
  showPad(form, units, input, wrong);
  showAgreement(units);
  showExtras(form, contract, units);
  showSave(form, contract, units, wrong);
}

// Why the deal cannot be saved yet, as a word for the message; null where it can.
function whatIsMissing(form, units) {
  if (!units.length) return { word: "choose" };
  const unit = units.find((unit) => !isComplete(unit));
  if (unit) return { word: "give", unit };
  const word = DealOptions.missing(form);
  return Counts.problemOf(form) ?? (word ? { word } : null);
}

function showTiles(form, units, wrong) {
  const hide = DealOptions.movesPoints(form);
  const of = (unit, input) => (hide ? NaN : Counts.pointsOf(form, unit, input));
  for (const unit of units) {
    const middle = one(unit, ".middle b");
    const over = Counts.hasTotal(unit) ? Math.max(-leftOf(unit), 0) : 0;
    unit.classList.toggle("over", over > 0);
    if (middle) middle.textContent = over ? signed(over) : Math.max(Counts.missing(unit), 0);
    inputsOf(unit).forEach((input, turn) => {
      const tile = input.closest(".tile");
      const worth = of(unit, input);
      tile.classList.toggle("active", input === active.get(form));
      tile.classList.toggle("auto", Boolean(input.dataset.auto));
      tile.classList.toggle("filled", input.value !== "");
      tile.classList.toggle("wrong", wrong?.unit === unit && wrong.at === turn);
      one(tile, ".points").textContent = Number.isInteger(worth) ? signed(worth) : "";
    });
  }
  if (units.length > 1) showSums(form, units, of);
}

// How units agree is said where they are entered together; its place stays.
function showAgreement(units) {
  const names = units.length > 1 ? units.map((unit) => unit.dataset.unit) : [];
  for (const said of all(document, "[data-agrees]")) {
    said.classList.toggle("unsaid", !said.dataset.agrees.split(" ").every((name) => names.includes(name)));
  }
}

// With units in rows, show the sum of each side.
function showSums(form, units, of) {
  all(form, ".column-names b").forEach((sum, turn) => {
    const worths = units.map((unit) => of(unit, inputsOf(unit)[turn])).filter(Number.isFinite);
    sum.textContent = worths.length ? signed(worths.reduce((total, each) => total + each, 0)) : "";
  });
}

function showPad(form, units, input, wrong) {
  const pad = one(form, ".pad");
  const oneTap = units.length > 0 && units.every((unit) => "oneTap" in unit.dataset);
  const unit = input ? input.closest(".unit") : units.find((unit) => !("oneTap" in unit.dataset)) ?? units[0];
  const most = unit ? Number(unit.dataset.most) : 0;
  const free = Counts.freeFor(input);
  pad.hidden = false;
  const whose = one(pad, "#whose");
  const label = [whose.dataset.label, input?.ariaLabel].filter(Boolean).join(": ");
  if (whose.textContent !== label) whose.textContent = label;
  pad.classList.toggle("idle", units.length === 0);
  pad.classList.toggle("one-tap", oneTap);
  one(pad, ".keys").dataset.keys = most + 1;
  for (const key of all(pad, "[data-number]")) {
    const value = Number(key.dataset.number);
    key.hidden = value > most;
    key.disabled = !input;
    key.classList.toggle("over", value > free);
    key.setAttribute("aria-pressed", String(Boolean(input) && input.value !== "" && number(input) === value));
  }
  say(form, units, wrong);
}

function say(form, units, wrong) {
  const status = one(form, ".says");
  status.hidden = false;
  const words = status.dataset;
  const tooMany = units.find((unit) => Counts.hasTotal(unit) && leftOf(unit) < 0);
  const unit = tooMany ?? wrong?.unit;
  let text = DealOptions.offering(form) || words[wrong?.word ?? "complete"];
  if (tooMany) text = words.tooMany.replace("{n}", -leftOf(tooMany));
  else if (wrong?.word === "give") text = whatToGive(unit, words);
  text = text.replace("{unit}", unit ? Counts.nameOf(unit) : "");
  if (units.length > 1 && (tooMany || wrong?.word === "give")) text = `${Counts.nameOf(unit)}: ${text}`;
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("done", !tooMany && !wrong);
  status.classList.toggle("wrong", Boolean(tooMany || (wrong && !["give", "choose"].includes(wrong.word))));
}

function whatToGive(unit, words) {
  if ("ordered" in unit.dataset) return words.places;
  if (!Counts.hasTotal(unit)) return inputsOf(unit)[0].closest(".tile").dataset.seats.includes(" ") ? words.pairLeft : words.cardsLeft;
  if ("oneTap" in unit.dataset) return words.give;
  const left = leftOf(unit);
  return left === 1 ? words.leftOne : words.leftMany.replace("{n}", left);
}

function holderOfAll(units, needed) {
  const sides = units.length ? inputsOf(units[0]).length : 0;
  return [...Array(sides).keys()].find((turn) =>
    units.every((unit) => number(inputsOf(unit)[turn]) >= Number(needed === "all" ? unit.dataset.total : needed)));
}

function showExtras(form, contract, units) {
  const tick = one(form, ".king-tick");
  if (tick) {
    const turn = contract && "king" in contract.dataset ? holderOfAll(units, contract.dataset.king) : undefined;
    const declared = one(form, "[name=king_declared_by]");
    const seats = turn === undefined ? [] : inputsOf(units[0])[turn].closest(".tile").dataset.seats.split(" ");
    const possible = seats.length > 0 && (!declared || seats.includes(declared.value));
    tick.hidden = !possible;
    if (!possible) one(tick, "input").checked = false;
  }
  for (const extra of all(form, ".extra")) extra.hidden = !contract?.classList.contains(`asks-${extra.dataset.field}`);
  for (const extra of all(form, ".doubles, .all-units")) extra.hidden = !contract;
}

function showSave(form, contract, units, wrong) {
  const save = one(form, ".save :is([value=deal], [value=correct])");
  const replay = one(form, ".replay");
  if (!save || !one(form, "input[name=contract]")) return;
  const declared = one(form, "[name=king_declared_by]")?.value;
  const again = !wrong && "replay" in contract.dataset && !declared &&
    units.every((unit) => inputsOf(unit).every((input) => number(input) === 1));
  save.disabled = Boolean(wrong);
  showSuits(form, save, wrong?.word === "suit");
  if (replay) {
    replay.hidden = !again;
    save.hidden = again;
  }
}

// Where only the suit is missing, the suits are in the place of Save, and a tap on one saves.
function showSuits(form, save, isMissing) {
  const group = one(form, ".save-suits");
  if (group.hidden === !isMissing) return;
  group.hidden = !isMissing;
  group.replaceChildren(...(isMissing ? all(form, ".picked .suit") : []).map((suit) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = suit.className;
    button.append(...[...suit.querySelectorAll("span")].map((part) => part.cloneNode(true)));
    button.addEventListener("click", () => {
      one(suit, "input").checked = true;
      refresh(form);
      save.click();
    });
    return button;
  }));
}

function setContract(form, radio) {
  radio.checked = true;
  active.delete(form);
}

function clearSuits(form) {
  for (const suit of all(form, "input[name=trump]")) {
    suit.checked = false;
    delete suit.dataset.was;
  }
}

document.addEventListener("click", (event) => {
  const form = event.target.closest("form.entry");
  if (!form || !one(form, ".pad")) return;
  const tile = event.target.closest(".unit .tile");
  const key = event.target.closest("[data-number]");
  if (tile) {
    const input = one(tile, "input");
    // The label would click its input once more.
    if (event.target !== input) event.preventDefault();
    if ("oneTap" in tile.closest(".unit").dataset) {
      Counts.give(input);
      removeAnswered(input);
    } else {
      if (input.dataset.auto) input.dataset.hand = "1";
      active.set(form, input);
    }
  } else if (key) {
    const input = active.get(form);
    const unit = input.closest(".unit");
    write(input, key.dataset.number);
    removeAnswered(input);
    Counts.fill(unit, Counts.ruleOf(form)?.scoring);
    if (!Counts.hasTotal(unit) || leftOf(unit) >= 0) active.set(form, firstEmpty(form, input));
    active.get(form)?.closest(".tile").scrollIntoView({ block: "nearest" });
  } else if (event.target.closest(".change")) {
    const radio = contractOf(form);
    if (!radio) {
      DealOptions.stepBack(form);
      refresh(form);
      return;
    }
    radio.checked = false;
    clearSuits(form);
    refresh(form);
    radio.focus({ preventScroll: true });
    return;
  } else if (event.target.name === "trump") {
    const suit = event.target;
    const again = Boolean(suit.dataset.was);
    clearSuits(form);
    suit.checked = !again;
    if (!again) suit.dataset.was = "1";
    const radio = one(suit.closest(".contract"), "input[name=contract]");
    if (!radio.checked) setContract(form, radio);
  } else return;
  refresh(form);
});

// A finger needs no focus ring, and no keyboard that comes up.
document.addEventListener("mousedown", (event) => {
  const tile = event.target.closest(".tapped .unit .tile");
  if (tile && matchMedia("(pointer: coarse)").matches) event.preventDefault();
  if (event.target.closest(".keys")) event.preventDefault();
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form.entry");
  if (!form || !one(form, ".pad")) return;
  if (event.target.name === "contract" && DealOptions.takesOffer(form, event.target)) {
    refresh(form);
    return;
  }
  if (event.target.name === "third" && contractOf(form)) contractOf(form).checked = false;
  if (event.target.type === "number") {
    delete event.target.dataset.auto;
    active.set(form, event.target);
  }
  if (event.target.name === "contract") {
    active.delete(form);
    if (!event.target.closest(".contract").querySelector("[name=trump]")) clearSuits(form);
  }
  refresh(form);
  // On a small screen the contracts may have been scrolled to: the count begins at the table.
  if (event.target.name === "contract" && form.getBoundingClientRect().top < 0) form.scrollIntoView();
});

// A message beside a field goes once the field is changed; one about the whole form with any field.
function removeAnswered(field) {
  const form = field.closest("form");
  for (const message of all(form, ".notice-bad[role=alert]")) message.remove();
  for (let at = field; at && at !== form; at = at.parentElement) {
    const answered = messagesOf(at);
    for (const message of answered) message.remove();
    if (!answered.length) continue;
    at.removeAttribute("aria-describedby");
    for (const invalid of [at, ...all(at, "[aria-invalid]")]) invalid.removeAttribute("aria-invalid");
  }
}

function messagesOf(element) {
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  const described = ids.map((id) => document.getElementById(id)).filter((found) => found?.matches(".errors, [role=alert]"));
  return described.length || !element.matches("fieldset") ? described : all(element, ":scope > [role=alert]");
}

document.addEventListener("input", (event) => {
  if (event.target.closest("#table form, form.entry")) removeAnswered(event.target);
});

document.addEventListener("focusin", (event) => {
  const form = event.target.closest("form.entry");
  if (!form || event.target.type !== "number") return;
  active.set(form, event.target);
  event.target.select();
  refresh(form);
});

// Return the typed values without those filled in; `restore` puts them into a form again.
function typed(form) {
  const auto = new Set(all(form, "input[data-auto]").map((input) => input.name));
  return [...new FormData(form)].filter(([name, value]) =>
    isField(name) && value !== "" && !auto.has(name));
}

function restore(form, fields) {
  const fits = (name) => isField(name) && !(name === "contract" && isFixed(form));
  for (const [name, value] of fields.filter(([name]) => fits(name))) {
    const found = all(form, `[name="${name}"]`);
    for (const input of found) {
      const { value: before, checked } = input;
      if (input.type !== "radio" && input.type !== "checkbox") write(input, value);
      else {
        input.checked = input.value === value && !input.disabled;
        if (name === "trump" && input.checked) input.dataset.was = "1";
      }
      // The server did not see this yet: its message is answered.
      if (input.value !== before || input.checked !== checked) removeAnswered(input);
    }
  }
  begin(form);
  refresh(form);
}

function clear(form) {
  active.delete(form);
  for (const input of all(form, "input[type=number]")) write(input, "");
  for (const input of all(form, "input[type=radio], input[type=checkbox]")) input.checked = input.type === "radio" && input.value === "";
  for (const select of all(form, "select")) select.value = "";
  for (const problem of all(form, "[role=alert]")) problem.remove();
  clearSuits(form);
  begin(form);
  refresh(form);
  rest();
  untouched.set(form, JSON.stringify(typed(form)));
}

// Whether anything was typed since the form came.
const begun = (form) => untouched.get(form) !== JSON.stringify(typed(form));

// Choose the contract if only one is possible.
function begin(form) {
  if (!one(form, ".contracts")) return;
  chooseTheOnly(form);
  DealOptions.reset(form);
}

function chooseTheOnly(form) {
  const possible = all(form, "input[name=contract]:enabled");
  if (possible.length === 1 && one(form, ".pad") && (isFixed(form) || !one(form, ".offer"))) possible[0].checked = true;
}

const hasChoice = (form) => all(form, "input[name=contract]:enabled").length > 1;

function start() {
  for (const form of all(document, "form.entry")) {
    if (one(form, ".pad")) {
      chooseTheOnly(form);
      // The pad replaces the phone's keyboard; a real one still types.
      for (const input of all(form, "input[type=number]")) input.inputMode = "none";
      form.classList.add("tapped");
    }
    refresh(form);
    untouched.set(form, JSON.stringify(typed(form)));
  }
}

// The second of two quick taps must not undo or send the result of the first. Where
// there is a pad, Save is off until the deal is complete.
function rest() {
  for (const button of all(document, ".undo, .entry:not(.tapped) .save button")) {
    button.disabled = true;
    setTimeout(() => {
      button.disabled = false;
      if (button.form?.matches(".entry")) refresh(button.form);
    }, 1000);
  }
}

function arrive() {
  start();
  rest();
}

start();

export { arrive, refresh, typed, begun, restore, clear, contractOf, unitsOf, inputsOf, points, signed };
