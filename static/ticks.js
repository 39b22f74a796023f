// Ticking players: a search that filters them, "all" for those shown, and the number chosen.

const form = document.getElementById("ticks");
const ticks = [...form.querySelectorAll("[name=player]")];
const search = document.getElementById("tick-search");
const lineOf = (tick) => tick.closest("label");

// As the server makes the keys: one i, no case, no marks.
const plain = (text) => text.replace(/[İIı]/g, "i").toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

function shown(group) {
  return [...group.querySelectorAll("[name=player]")].filter((tick) => !lineOf(tick).hidden);
}

function count() {
  document.querySelector("[data-chosen]").textContent = ticks.filter((tick) => tick.checked).length;
  for (const all of form.querySelectorAll("[data-all]")) {
    const group = shown(all.closest("fieldset"));
    all.checked = group.length > 0 && group.every((tick) => tick.checked);
  }
}

search.addEventListener("input", () => {
  const words = plain(search.value).split(/\s+/);
  for (const tick of ticks) {
    lineOf(tick).hidden = !words.every((word) => lineOf(tick).dataset.key.includes(word));
  }
  for (const group of form.querySelectorAll("fieldset")) group.hidden = shown(group).length === 0;
  count();
});
// Enter in the search must not add anybody.
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
form.addEventListener("change", ({ target }) => {
  if ("all" in target.dataset) {
    for (const tick of shown(target.closest("fieldset"))) tick.checked = target.checked;
  }
  count();
});
for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;
count();
