// Totals from paper: a space or a minus goes on to the next player, a table number to its line. Only the
// lines that were filled in are sent, and come back.

import { hear } from "./signal.js";

const form = document.querySelector(".paper");
const linesOf = () => [...form.querySelectorAll(".paper-line")];
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
  const { least, most } = line.dataset;
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

let sent = 0;

form?.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
  sent = Number(document.activeElement.closest(".paper-line")?.dataset.table ?? 0);
  for (const line of linesOf()) {
    const isFilled = parameters[`why-${line.dataset.table}`] !== undefined || fieldsOf(line).some(({ value }) => value.trim());
    if (!isFilled) for (const { name } of line.elements) delete parameters[name];
  }
});

function show() {
  for (const line of linesOf()) {
    // Keyboards of phones that show digits have no minus.
    for (const sign of line.querySelectorAll(".paper-sign")) sign.hidden = false;
    addUp(line);
  }
}

// Signed out, or not a director any more: the server's page says it.
form?.addEventListener("htmx:responseError", ({ detail: { xhr } }) => { if (xhr.status < 500) form.submit(); });
hear((target, isHeard) => {
  if (target !== form) return;
  document.getElementById("paper-unsent").hidden = isHeard;
  if (!isHeard) return;
  const lines = linesOf();
  if (!lines.length) location.assign(location.pathname);
  show();
  // Who types on elsewhere meanwhile stays there.
  if (form.contains(document.activeElement)) return;
  const next = lines.find((line) => line.querySelector(".errors")) ?? lines.find(({ dataset }) => Number(dataset.table) > sent) ?? lines[0];
  if (next) goTo(fieldsOf(next)[0]);
});
if (form) show();
