// Brings back what was typed on a page after signing in again, and after a change of the language.
// It stays in this tab, without passwords and files.

const PLACE = "kingscore.typed";
const AN_HOUR = 60 * 60 * 1000;
const here = location.pathname + location.search;
const isTick = (field) => /^(radio|checkbox)$/.test(field.type);
const isTyped = (field) => field.name && !/^(hidden|password|file|submit|button)$/.test(field.type);
const fields = () => [...document.querySelectorAll("main form[method=post]")]
  .flatMap((form) => [...form.elements].filter(isTyped));

function load() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE));
    return kept && Date.now() - kept.at < AN_HOUR ? kept : null;
  } catch {
    return null;
  }
}

function store(kept) {
  try {
    if (kept) sessionStorage.setItem(PLACE, JSON.stringify(kept));
    else sessionStorage.removeItem(PLACE);
  } catch { /* the page works without */ }
}

function restore(typed) {
  const left = [...typed];
  for (const field of fields()) {
    const at = left.findIndex(([name, value]) => name === field.name && (!isTick(field) || value === field.value));
    if (at < 0) continue;
    const [[, value, ticked]] = left.splice(at, 1);
    if (isTick(field) ? field.checked === ticked : field.value === value) continue;
    if (isTick(field)) field.checked = ticked;
    else field.value = value;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  }
}

// Only where the reader is sent back to this page; a form that was accepted is done with.
const kept = load();
if (document.querySelector("[data-signed-out]")) store(kept && { ...kept, back: true });
else if (!kept?.back) store(null);
else if (kept.page === here) {
  store(null);
  restore(kept.typed);
}

// A long page that refuses a form opens at the first field in question, not at its title.
const invalid = document.querySelector("main [aria-invalid=true]");
if (!document.querySelector("#outbox, main .notice-bad")) (invalid?.closest(".field") ?? invalid)?.scrollIntoView({ block: "center" });

document.addEventListener("submit", ({ target }) => {
  const isLanguage = target.closest(".preferences") !== null;
  // Signing in again forgets nothing. The sheet of a table keeps its own, and never a sealed contract.
  if (here.startsWith("/accounts/") || document.getElementById("outbox")) return;
  if (!isLanguage && !target.closest("main")) return;
  const typed = fields().map((field) => [field.name, field.value, field.checked]);
  store({ page: here, at: Date.now(), back: isLanguage, typed });
}, true);
