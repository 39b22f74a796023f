// Hands that nobody names: a suit can be taken back, and nobody defends alone against a partner.
// Contracts named before the deal: a suit names trump as well.
// Without this script the form works with its plain inputs.

const one = (root, selector) => root.querySelector(selector);
const all = (root, selector) => [...root.querySelectorAll(selector)];
const formOf = (target) => target.closest(".hand, .naming")?.closest("form");

// Disable saving while required choices are missing.
function refresh(form) {
  const save = one(form, ".save button[value=deal]");
  const needed = form.matches(".naming") ? ["contract"] : one(form, ".makers") ? ["maker", "bid", "tricks"] : ["winner"];
  const isMissing = (name) => one(form, `[name=${name}]`) && !one(form, `[name=${name}]:checked`);
  if (save) save.disabled = needed.some(isMissing);
}

// A suit tapped once more is none.
document.addEventListener("click", (event) => {
  const form = formOf(event.target);
  if (!form || event.target.name !== "trump") return;
  const again = "was" in event.target.dataset;
  for (const suit of all(form, "[name=trump]")) delete suit.dataset.was;
  if (again) event.target.checked = false;
  else event.target.dataset.was = "1";
  const contract = event.target.closest(".contract")?.querySelector("[name=contract]");
  if (contract && !again) contract.checked = true;
  refresh(form);
});

document.addEventListener("change", (event) => {
  const form = formOf(event.target);
  if (!form) return;
  // A penalty has no suit.
  if (event.target.name === "contract" && !event.target.closest(".contract").querySelector("[name=trump]")) {
    for (const suit of all(form, "[name=trump]")) suit.checked = false;
  }
  refresh(form);
  if (event.target.name !== "maker") return;
  const lone = one(form, "[name=defender_alone]:checked");
  const makers = event.target.className.replace("side", "defends");
  if (lone?.closest(".key").classList.contains(makers)) one(form, ".nobody input").checked = true;
});

// The sheet has cells of the class, too.
for (const hand of all(document, ".hand, .naming")) {
  const form = hand.closest("form");
  if (form) refresh(form);
}

export { refresh };
