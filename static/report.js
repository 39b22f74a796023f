// A document that this page waited for is saved once it is ready.

document.addEventListener("htmx:afterSwap", () => document.querySelector(".report [download]")?.click());
