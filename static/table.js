// Tapping instead of typing: one pad of numbers for the player whose turn it is.
// Without this script the form works with its plain inputs.
"use strict";

const Kingscore = (() => {
  const active = new WeakMap(); // form → the input the pad writes into
  const MINUS = "\u2212";
  const TYPED = /^(contract|trump|king|king_declared_by|rifki_holder|count-.*)$/;

  const one = (root, selector) => root.querySelector(selector);
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const points = (number) => String(number).replace("-", MINUS);

  const contractOf = (form) => one(form, "input[name=contract]:checked");
  const inputsOf = (unit) => all(unit, "input[type=number]");
  const isTyped = (input) => input.value !== "" && !input.dataset.auto;
  const number = (input) => Number(input.value) || 0;

  function unitsOf(form) {
    const contract = contractOf(form);
    if (!contract) return [];
    return all(form, ".unit").filter((unit) => contract.classList.contains(`counts-${unit.dataset.unit}`));
  }

  function leftOf(unit, except) {
    const typed = inputsOf(unit).filter((input) => input !== except && isTyped(input));
    return typed.reduce((left, input) => left - number(input), Number(unit.dataset.total));
  }

  const missing = (unit) => inputsOf(unit).reduce((left, input) => left - number(input), Number(unit.dataset.total));

  // What only one number fits into is filled in, and given up again when the others change.
  function fill(unit) {
    const blank = inputsOf(unit).filter((input) => !isTyped(input));
    const left = leftOf(unit);
    for (const input of blank) {
      const known = left === 0 || (blank.length === 1 && left > 0);
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
    const sum = inputs.reduce((total, input) => total + number(input), 0);
    return sum === Number(unit.dataset.total) && inputs.every((i) => i.value !== "" && number(i) >= 0);
  }

  function firstEmpty(form, after) {
    const inputs = unitsOf(form).filter((unit) => !("oneTap" in unit.dataset)).flatMap(inputsOf);
    const start = inputs.indexOf(after) + 1;
    return [...inputs.slice(start), ...inputs.slice(0, start)].find((input) => !isTyped(input) && input.value === "");
  }

  function refresh(form) {
    const contract = contractOf(form);
    const units = unitsOf(form);
    form.classList.toggle("chosen", Boolean(contract));
    const seats = one(form, ".seats");
    if (seats) seats.hidden = Boolean(contract);
    one(form, ".change").hidden = !contract;
    for (const row of all(form, ".contract")) row.classList.toggle("picked", Boolean(contract) && row.contains(contract));
    for (const unit of all(form, ".unit")) unit.hidden = !units.includes(unit);
    units.forEach(fill);
    let input = active.get(form);
    if (!input || !units.some((unit) => unit.contains(input))) input = firstEmpty(form);
    for (const other of all(form, "[data-hand]")) if (other !== input) delete other.dataset.hand;
    const given = input?.dataset.auto && !("hand" in input.dataset);
    if (units.length && units.every(isComplete) && given) input = undefined;
    active.set(form, input);
    showTiles(form, contract, units);
    showPad(form, units, input);
    showExtras(form, contract, units);
    showSave(form, contract, units);
  }

  function showTiles(form, contract, units) {
    const values = contract ? JSON.parse(contract.dataset.values) : {};
    for (const unit of units) {
      one(unit, ".middle b").textContent = points(Math.max(missing(unit), 0));
      for (const input of inputsOf(unit)) {
        const tile = input.closest(".tile");
        tile.classList.toggle("active", input === active.get(form));
        tile.classList.toggle("auto", Boolean(input.dataset.auto));
        tile.classList.toggle("filled", input.value !== "");
        one(tile, ".points").textContent = input.value === "" ? "" : points(values[unit.dataset.unit] * number(input));
      }
    }
  }

  function showPad(form, units, input) {
    const pad = one(form, ".pad");
    const oneTap = units.length > 0 && units.every((unit) => "oneTap" in unit.dataset);
    const unit = input ? input.closest(".unit") : units[0];
    const total = unit ? Number(unit.dataset.total) : 0;
    const free = freeFor(input, unit, total);
    pad.hidden = false;
    pad.classList.toggle("idle", units.length === 0);
    pad.classList.toggle("one-tap", oneTap);
    one(pad, ".keys").dataset.keys = total + 1;
    for (const key of all(pad, "[data-number]")) {
      const value = Number(key.dataset.number);
      key.hidden = value > total;
      key.disabled = !input || value > free;
      key.setAttribute("aria-pressed", String(Boolean(input) && input.value !== "" && number(input) === value));
    }
    for (const step of all(pad, "[data-step]")) {
      const value = input ? number(input) + Number(step.dataset.step) : -1;
      step.disabled = !input || value < 0 || value > free;
    }
    say(form, units, oneTap);
  }

  // Who was filled in and is tapped may get any number; then the others are put right.
  function freeFor(input, unit, total) {
    if (!input) return -1;
    return "hand" in input.dataset ? total : leftOf(unit, input);
  }

  function say(form, units, oneTap) {
    const status = one(form, ".pad [role=status]");
    const words = status.dataset;
    const left = units.map((unit) => leftOf(unit)).find((number) => number !== 0) ?? 0;
    let text = words.complete;
    if (!units.length) text = words.choose;
    else if (left < 0) text = words.tooMany.replace("{n}", -left);
    else if (units.every(isComplete)) text = words.complete;
    else if (oneTap) text = words.give;
    else text = left === 1 ? words.leftOne : words.leftMany.replace("{n}", left);
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("wrong", left < 0);
  }

  function holderOfAll(units) {
    const seats = units.length ? inputsOf(units[0]).length : 0;
    return [...Array(seats).keys()].find((turn) =>
      units.every((unit) => number(inputsOf(unit)[turn]) === Number(unit.dataset.total)));
  }

  function showExtras(form, contract, units) {
    const tick = one(form, ".king-tick");
    if (tick) {
      const turn = contract && "king" in contract.dataset ? holderOfAll(units) : undefined;
      const declared = one(form, "[name=king_declared_by]");
      const seat = turn === undefined ? undefined : inputsOf(units[0])[turn].closest(".tile").dataset.seat;
      const possible = seat !== undefined && (!declared || declared.value === seat);
      tick.hidden = !possible;
      if (!possible) one(tick, "input").checked = false;
    }
    const holder = one(form, ".rifki-holder");
    if (holder) holder.hidden = !contract || !("holder" in contract.dataset);
    const declared = one(form, ".king-declared");
    if (declared) declared.hidden = !contract;
  }

  function showSave(form, contract, units) {
    const save = one(form, ".save button:not(.replay)");
    const replay = one(form, ".replay");
    if (!save || !one(form, "input[name=contract]")) return;
    const complete = units.length > 0 && units.every(isComplete);
    const declared = one(form, "[name=king_declared_by]")?.value;
    const again = complete && "replay" in contract.dataset && !declared &&
      units.every((unit) => inputsOf(unit).every((input) => number(input) === 1));
    save.disabled = !complete;
    save.parentElement.hidden = !contract;
    if (replay) {
      replay.hidden = !again;
      save.hidden = again;
    }
  }

  // So few units that a tap on a player gives one, and a tap too many takes it back.
  function give(input) {
    const unit = input.closest(".unit");
    const left = leftOf(unit);
    if (left > 0) write(input, number(input) + 1);
    else if (number(input) > 0) write(input, 0);
    else {
      inputsOf(unit).forEach((other) => write(other, ""));
      write(input, 1);
    }
    if (inputsOf(unit).every((other) => number(other) === 0)) inputsOf(unit).forEach((other) => write(other, ""));
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
    if (!form) return;
    const tile = event.target.closest(".unit .tile");
    const key = event.target.closest("[data-number]");
    const step = event.target.closest("[data-step]");
    if (tile) {
      const input = one(tile, "input");
      // The label would click its input once more.
      if (event.target !== input) event.preventDefault();
      if ("oneTap" in tile.closest(".unit").dataset) give(input);
      else {
        if (input.dataset.auto) input.dataset.hand = "1";
        active.set(form, input);
      }
    } else if (key) {
      const input = active.get(form);
      write(input, key.dataset.number);
      fill(input.closest(".unit"));
      if (leftOf(input.closest(".unit")) >= 0) active.set(form, firstEmpty(form, input));
    } else if (step) {
      const input = active.get(form);
      write(input, number(input) + Number(step.dataset.step));
    } else if (event.target.closest(".change")) {
      const radio = contractOf(form);
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
    if (event.target.closest(".keys, [data-step]")) event.preventDefault();
  });

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.entry");
    if (!form || !one(form, ".pad")) return;
    if (event.target.type === "number") {
      delete event.target.dataset.auto;
      active.set(form, event.target);
    }
    if (event.target.name === "contract") {
      active.delete(form);
      if (!event.target.closest(".contract").querySelector("[name=trump]")) clearSuits(form);
    }
    refresh(form);
  });

  document.addEventListener("focusin", (event) => {
    const form = event.target.closest("form.entry");
    if (!form || event.target.type !== "number") return;
    active.set(form, event.target);
    event.target.select();
    refresh(form);
  });

  // What was typed, without what was filled in; and the same put into a form again.
  function typed(form) {
    const auto = new Set(all(form, "input[data-auto]").map((input) => input.name));
    return [...new FormData(form)].filter(([name, value]) =>
      TYPED.test(name) && value !== "" && !auto.has(name));
  }

  function restore(form, fields) {
    for (const [name, value] of fields.filter(([name]) => TYPED.test(name))) {
      const found = all(form, `[name="${name}"]`);
      for (const input of found) {
        if (input.type === "radio" || input.type === "checkbox") input.checked = input.value === value && !input.disabled;
        else write(input, value);
      }
    }
    refresh(form);
  }

  function clear(form) {
    active.delete(form);
    for (const input of all(form, "input[type=number]")) write(input, "");
    for (const input of all(form, "input[type=radio], input[type=checkbox]")) input.checked = false;
    for (const select of all(form, "select")) select.value = "";
    for (const problem of all(form, "[role=alert]")) problem.remove();
    clearSuits(form);
    refresh(form);
  }

  function start() {
    for (const form of all(document, "form.entry")) {
      if (!one(form, ".pad")) continue;
      // The pad stands in for the phone's keyboard; a real one still types.
      for (const input of all(form, "input[type=number]")) input.inputMode = "none";
      form.classList.add("tapped");
      refresh(form);
    }
  }

  // The second of two quick taps must not take back what the first has brought up.
  function rest() {
    for (const undo of all(document, ".undo")) {
      undo.disabled = true;
      setTimeout(() => { undo.disabled = false; }, 1000);
    }
  }

  function arrive() {
    start();
    rest();
  }

  document.addEventListener("htmx:afterSwap", arrive);
  start();
  return { arrive, refresh, typed, restore, clear, contractOf, unitsOf, inputsOf, points };
})();
window.Kingscore = Kingscore;
