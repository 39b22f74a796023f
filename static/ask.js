// What takes something back or ends something is said before it is done; one tap goes on.

import * as Preview from "./preview.js";

const dialog = document.getElementById("ask");
const [back, go] = dialog?.querySelectorAll("button") ?? [];
const REST = 350;
let then = null; // what is done with a tap on the right
let sure = null; // the form whose step was confirmed
let since = 0;

function ask(sentence, label, action) {
  dialog.querySelector("p").textContent = sentence;
  go.textContent = label;
  then = action;
  since = Date.now();
  dialog.showModal();
}

// The entry ends a game of which deals are left: a King.
function makesKing(form, submitter) {
  const state = form.matches(".entry") && Preview.read();
  if (!state || state.target || (state.deals && state.deal >= state.deals)) return false;
  Preview.apply(state, Preview.effectOf(form, submitter));
  return Boolean(state.over);
}

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (form === sure || !dialog) return;
  const isKing = makesKing(form, submitter);
  const sentence = isKing ? dialog.dataset.king : form.dataset.asks;
  if (!sentence) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(sentence, isKing ? dialog.dataset.save : form.dataset.go, () => {
    // Drawn again meanwhile: it may be another entry now.
    if (!form.isConnected) return;
    if (form.elements.sure) form.elements.sure.checked = true;
    sure = form;
    form.requestSubmit(submitter);
    sure = null;
  });
}, true);

go?.addEventListener("click", () => {
  // The second of two quick taps on Save is no answer.
  if (Date.now() - since < REST) return;
  dialog.close();
  then?.();
});
back?.addEventListener("click", () => dialog.close());

// An entry that waits on this phone is discarded, and has no form.
const askToDiscard = (item, label, action) => ask(dialog.dataset.waits.replace("{entry}", item.label), label, action);

export { ask, askToDiscard };
