// The further fields of a deal: partner, sale, offer, doubles, who went out.
// Without this script each of these is a plain field of the form.

import * as Counts from "./counts.js";

const { one, all } = Counts;

const has = (form, ask) => Boolean(Counts.contractOf(form)?.classList.contains(`asks-${ask}`));
const checked = (form, name) => one(form, `[name=${name}]:checked`);
const value = (form, name) => one(form, `[name=${name}]`)?.value ?? "";

// Return the first missing choice, as a key of the message.
function missing(form) {
  if (offer(form) && !["took", "none"].includes(stage(form))) return "offer";
  if (one(form, "[name=partner]") && !checked(form, "partner")) return "partner";
  if (has(form, "closed_by") && !checked(form, "closed_by")) return "closer";
  if (has(form, "sale") && value(form, "sale_buyer") && !value(form, "sale_tricks")) return "price";
  const suits = all(form, ".picked [name=trump]:enabled");
  if (suits.length && !isRefused(form) && !suits.some((suit) => suit.checked) && !form.closest(".correcting")) return "suit";
  return "";
}

// Whether something was said that makes the points other than the numbers show.
function movesPoints(form) {
  return Boolean(
    one(form, "[name=partner]") || checked(form, "third")
    || (has(form, "blind") && checked(form, "blind")) || (has(form, "sale") && value(form, "sale_buyer"))
    || all(form, ".doubles select:enabled").some((select) => select.value),
  );
}

function refresh(form) {
  showSale(form);
  showOffer(form);
  showDoublers(form);
  const doubled = one(form, "[data-doubled]");
  if (doubled) doubled.textContent = all(form, ".doubles select:enabled").filter((select) => select.value).length || "";
}

// Where it matters who doubled, all others double the declarer alone in a deal of gains.
function showDoublers(form) {
  const positive = Boolean(Counts.contractOf(form)?.dataset.positive);
  const own = one(form, ".doubler:disabled")?.dataset.seat;
  for (const select of all(form, ".doubler select")) {
    select.hidden = select.disabled = positive && select.dataset.seat !== own;
  }
  for (const button of all(form, "[data-doubles]")) button.hidden = positive;
}

// "Table" doubles all others, "flanks" those but the declarer; a second tap takes it back.
document.addEventListener("click", (event) => {
  const way = event.target.dataset?.doubles;
  if (!way) return;
  const own = way === "flanks" ? one(event.target.form, ".doubler:disabled").dataset.seat : "";
  const selects = all(event.target.parentElement, "select").filter((each) => each.dataset.seat !== own);
  const given = selects.every((select) => select.value);
  for (const select of selects) {
    if (given || !select.value) select.value = given ? "" : "doubled";
    select.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

// Of two only one doubles; the other may redouble.
document.addEventListener("input", (event) => {
  const [, by, seat] = event.target.name?.match(/^double-(\d)-(\d)$/) ?? [];
  const answer = by && event.target.value && one(event.target.form, `[name=double-${seat}-${by}]`);
  if (answer) answer.value = "";
});

const isRefused = (form) => has(form, "refused") && checked(form, "refused");

// A hand that is not played has neither trump nor price, and its tricks are shared: the dealer gets those left.
document.addEventListener("input", (event) => {
  const { form, name, checked: isTicked } = event.target;
  if (name !== "refused") return;
  for (const unit of Counts.unitsOf(form)) {
    const inputs = Counts.inputsOf(unit);
    const each = Math.floor(unit.dataset.total / inputs.length);
    const rest = unit.dataset.total % inputs.length;
    for (const input of inputs) {
      const share = each + (input.closest(".tile").classList.contains("declares") ? rest : 0);
      Counts.write(input, isTicked ? share : "");
    }
  }
});

// Nobody sells blind, or a hand that is not played; the price is asked once there is a buyer.
function showSale(form) {
  const blind = one(form, "[name=blind]");
  const buyer = one(form, "[name=sale_buyer]");
  const refused = isRefused(form);
  if (refused) for (const suit of all(form, "[name=trump]")) suit.checked = false;
  if (buyer) {
    const tricks = one(form, "[name=sale_tricks]");
    buyer.disabled = Boolean(blind?.checked) || refused;
    if (buyer.disabled) buyer.value = "";
    tricks.closest(".term").hidden = !buyer.value;
    if (!buyer.value) tricks.value = "";
    if (blind) blind.disabled = Boolean(buyer.value);
    const each = Math.abs(JSON.parse(Counts.contractOf(form)?.dataset.values ?? "{}").tricks ?? 1);
    const worth = one(form, "[data-worth]");
    worth.hidden = each === 1 || !tricks.value;
    worth.textContent = worth.dataset.worth.replace("{points}", each * tricks.value);
  }
}

// The offer: two contracts are tapped, then the one taken, or the third choice and another.

function offer(form) {
  const found = one(form, ".offer");
  return found && Number(found.dataset.left) > 1 ? found : null;
}

const offered = (form) => all(form, ".offer select").map((select) => select.value).filter(Boolean);
const leftOf = (row) => Number(one(row, "[data-left] b")?.textContent ?? 1);

function stage(form) {
  if (!offer(form)) return "none";
  if (offered(form).length < 2) return "two";
  if (Counts.contractOf(form)) return "took";
  return checked(form, "third") ? "third" : "take";
}

// A tap on a contract while two are offered: true where it was no choice of the contract yet.
function takesOffer(form, radio) {
  if (!offer(form) || offered(form).length === 2) return false;
  radio.checked = false;
  const selects = all(form, ".offer select");
  const times = offered(form).filter((contract) => contract === radio.value).length;
  const again = times >= leftOf(radio.closest(".contract"));
  const select = again ? selects.find((each) => each.value === radio.value) : selects.find((each) => !each.value);
  select.value = again ? "" : radio.value;
  return true;
}

// The way back, one step at a time; true where there was one.
function stepBack(form) {
  const at = stage(form);
  const third = one(form, "[name=third]");
  if (at === "third") third.checked = false;
  else if (at === "take" && !isCertain(form)) clearOffer(form);
  else return false;
  return true;
}

// Whether there is a choice that can be taken back.
function canStepBack(form) {
  if (Counts.contractOf(form)) return true;
  const at = stage(form);
  return at === "third" || (at === "take" && !isCertain(form));
}

const isCertain = (form) => Number(one(form, ".offer").dataset.left) === 2;

function clearOffer(form) {
  for (const select of all(form, ".offer select")) select.value = "";
  const third = one(form, "[name=third]");
  if (third) third.checked = false;
}

// Where only two are left, these are offered.
function preset(form) {
  if (!offer(form) || offered(form).length) return;
  const left = all(form, ".contract").flatMap((row) => Array(leftOf(row)).fill(one(row, "[name=contract]").value));
  if (left.length !== 2) return;
  all(form, ".offer select").forEach((select, turn) => { select.value = left[turn]; });
}

function showOffer(form) {
  const found = one(form, ".offer");
  if (!found) return;
  found.hidden = !offer(form);
  const at = stage(form);
  const two = offered(form);
  form.classList.toggle("offering", ["two", "take", "third"].includes(at));
  for (const row of all(form, ".contract")) {
    const radio = one(row, "[name=contract]");
    const times = two.filter((contract) => contract === radio.value).length;
    row.classList.toggle("offered", at === "two" && times > 0);
    row.classList.toggle("aside", (at === "take" && !times) || (at === "third" && times >= leftOf(row)) ||
      (["take", "third"].includes(at) && radio.disabled));
  }
  sayOffer(form, found, at, two);
  const third = one(form, ".third");
  third.hidden = Number(found.dataset.left) < 3 || !(at === "take" || (at === "took" && checked(form, "third")));
}

function sayOffer(form, found, at, two) {
  const says = one(found, ".offer-says");
  const names = two.map((id) => one(found, `option[value="${id}"]`).textContent);
  const words = says.dataset;
  // What is to be tapped stands where Save will be.
  says.hidden = at !== "took";
  const text = {
    two: two.length ? words.offerOne : words.offerTwo,
    take: isCertain(form) ? words.takeOfTwo : words.take,
    third: words.goThird,
    took: words.took.replace("{contracts}", names.join(", ")),
  }[at] ?? "";
  if (says.textContent !== text) says.textContent = text;
}

// Which contracts of the offer are to be tapped; empty where it is complete.
const offering = (form) => (["two", "take", "third"].includes(stage(form)) ? one(form, ".offer-says").textContent : "");

// Without signal: the player on turn cannot be their own partner or buyer, and does not double.
function paint(form, state) {
  for (const row of all(form, ".doubler")) row.hidden = row.disabled = Number(row.dataset.seat) === state.declarer;
  for (const owed of all(form, "[data-owed]")) owed.hidden = true;
  for (const input of all(form, "[name=partner]")) {
    input.disabled = Number(input.value) === state.declarer;
    input.closest(".chip").hidden = input.disabled;
  }
  for (const option of all(form, "[name=sale_buyer] option")) {
    option.disabled = option.hidden = option.value !== "" && Number(option.value) === state.declarer;
  }
  const own = state.sides[state.declarer];
  const partner = state.sides.findIndex((side, seat) => side === own && seat !== state.declarer);
  all(form, "[name=named_by]").forEach((input, turn) => {
    input.value = turn ? partner : state.declarer;
    one(input.closest(".chip"), "span").textContent = state.players[input.value];
  });
  const found = one(form, ".offer");
  if (found) found.dataset.left = Object.values(state.contracts).reduce((sum, contract) => sum + (contract.left ?? 0), 0);
}

// By default the partner on turn has named; preset an offer with only one choice.
function reset(form) {
  const own = one(form, "[name=named_by]");
  if (own && !checked(form, "named_by")) own.checked = true;
  preset(form);
}

export { missing, offering, movesPoints, refresh, takesOffer, canStepBack, stepBack, paint, reset };
