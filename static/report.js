// A document that this page waited for is saved once it is ready.

document.addEventListener("htmx:afterSwap", () => {
  for (const link of document.querySelectorAll(".report [download]:not([data-saved])")) {
    link.dataset.saved = "";
    link.click();
  }
});
