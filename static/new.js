// The table of a new game, drawn for as many as the chosen game has seats.

const form = document.querySelector("#table");
const TRAITS = ["seats", "drawn", "begins", "pairs", "matches", "sinks"];

function draw() {
  const family = form.querySelector("[name=family]:checked")?.value;
  const chosen = form.elements[`form.${family}`];
  const ruleset = chosen instanceof RadioNodeList
    ? [...chosen].find(radio => radio.checked)
    : chosen;
  if (!ruleset) return;
  for (const trait of TRAITS) {
    if (trait in ruleset.dataset) form.dataset[trait] = ruleset.dataset[trait];
    else delete form.dataset[trait];
  }
  // How the first player is found may be answered further down.
  const way = form.elements[`${ruleset.value}.begins`]?.value;
  if (way) form.dataset.begins = form.dataset.begins.replace(/\S+$/, way);
  const starters = [...form.querySelectorAll("[name=first_declarer]")];
  const begins = starters.findIndex(radio => radio.checked);
  if (begins >= Number(form.dataset.seats)) starters[0].checked = true;
}

form.addEventListener("change", draw);
// A page that was gone back to has other choices than it was sent with.
addEventListener("pageshow", draw);
