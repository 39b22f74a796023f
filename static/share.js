// Copying, sending and printing the addresses of a game, where the browser can.

for (const row of document.querySelectorAll("[data-share]")) {
  const address = row.dataset.share;
  const copy = row.querySelector("[data-copy]");
  const send = row.querySelector("[data-send]");
  copy.hidden = !navigator.clipboard;
  // Private addresses can only be copied.
  if (send) send.hidden = !navigator.share;
  row.hidden = copy.hidden && (!send || send.hidden);
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(address);
    copy.textContent = copy.dataset.done;
  });
  // Closing the list of apps is no error.
  send?.addEventListener("click", () => navigator.share({ url: address }).catch(() => {}));
}
for (const input of document.querySelectorAll(":is(input, textarea)[readonly]")) {
  input.addEventListener("focus", () => input.select());
}
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
