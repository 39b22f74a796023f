// The form of a page beside the table, for a correction or for names: with a signal it is sent at once, and
// a refusal stands on its page. Without one, or behind others, it waits in the outbox of the table.

import * as Preview from "./preview.js";
import * as Send from "./send.js";
import * as Starts from "./starts.js";

const form = document.querySelector("form[data-outbox]");
let isSure = false;
let busy = false;

async function send(submitter) {
  const { game, table } = form.dataset;
  const item = Preview.itemOf(form, submitter);
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), Starts.PATIENCE_OF_A_FORM);
  const { status } = Starts.waiting(game).length ? { status: 0 } : await Send.post(item, stop);
  clearTimeout(late);
  if (status === 0) Starts.append(game, { ...item, waited: true });
  if (status === 0 || status === 200) location.assign(table);
  else submit(submitter);
}

// The server's page shows each reason at its place, and the browser's that there is no signal.
function submit(submitter) {
  isSure = true;
  form.requestSubmit(submitter);
}

form?.addEventListener("submit", (event) => {
  if (isSure) return;
  event.preventDefault();
  if (busy) return;
  busy = true;
  send(event.submitter).catch(() => submit(event.submitter)).finally(() => { busy = false; });
});
