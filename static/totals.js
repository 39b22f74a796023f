// Totals from paper: a space or a minus goes on to the next player, a table number to its line.

const form = document.querySelector(".paper");
const MINUS = /^[-−–]$/;

function fieldsOf(line) {
  return [...line.querySelectorAll(".paper-total input")];
}

function goTo(field) {
  field.focus();
  field.select();
}

function valueOf(field) {
  const text = field.value.replace(/[−–]/g, "-").replace(",", ".").trim();
  return text === "" ? NaN : Number(text);
}

function addUp(line) {
  const values = fieldsOf(line).map(valueOf);
  const sum = values.reduce((a, b) => a + b, 0);
  const { least, most } = form.dataset;
  const isKnown = !Number.isNaN(sum);
  const isWrong = isKnown && least !== undefined && (sum < Number(least) || sum > Number(most));
  const shown = line.querySelector("output");
  shown.textContent = isKnown ? `Σ ${String(sum).replace("-", "−")}${least === undefined || isWrong ? "" : " ✓"}` : "";
  shown.classList.toggle("wrong", isWrong);
}

function typed(event) {
  const { target: field, key } = event;
  const line = field.closest(".paper-line");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (field.name === "table" && key === "Enter") {
    const first = form.querySelector(`.paper-line[data-table="${Number(field.value)}"] .paper-total input`);
    if (!first) return;
    event.preventDefault();
    field.value = "";
    goTo(first);
  } else if (line && field.matches(".paper-total input") && (key === " " || MINUS.test(key))) {
    const isAll = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    const isDone = /[0-9]$/.test(field.value) && field.selectionStart === field.value.length;
    const next = fieldsOf(line)[fieldsOf(line).indexOf(field) + 1];
    if (key === " ") event.preventDefault();
    if (!isDone || isAll || !next) return;
    event.preventDefault();
    goTo(next);
    if (key !== " ") next.value = "-";
  }
}

form?.addEventListener("keydown", typed);
form?.addEventListener("input", (event) => {
  const line = event.target.closest(".paper-line");
  if (line) addUp(line);
});
form?.addEventListener("click", (event) => {
  if (!event.target.matches(".paper-sign")) return;
  const field = event.target.previousElementSibling.querySelector("input");
  field.value = /^[-−–]/.test(field.value) ? field.value.slice(1) : `-${field.value}`;
  field.focus();
  addUp(field.closest(".paper-line"));
});
// The field with the focus may get it before or after this runs.
form?.addEventListener("focusin", (event) => event.target.select?.(), { once: true });
if (form?.contains(document.activeElement)) document.activeElement.select?.();
for (const line of form?.querySelectorAll(".paper-line") ?? []) {
  // Keyboards of phones that show digits have no minus.
  for (const sign of line.querySelectorAll(".paper-sign")) sign.hidden = false;
  addUp(line);
}
