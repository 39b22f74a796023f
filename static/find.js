// A search in a list that is on the page: what does not match is hidden, also after an update.

const field = document.querySelector("[data-find]");
const nobody = document.getElementById("found-none");
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ı", "i");
const wordsOf = (item) => fold(item.innerText).split(/[^\p{L}\p{N}]+/u);

// The first number of a line is its table or place; the others are points.
const isNumber = (word) => /^\d+$/.test(word);
const matches = (words, asked) => (isNumber(asked) ? words.find(isNumber) === asked : words.some((word) => word.startsWith(asked)));

function find() {
  const asked = fold(field.value).split(/\s+/).filter(Boolean);
  let found = 0;
  for (const item of document.querySelectorAll(field.dataset.find)) {
    item.hidden = false;
    const words = wordsOf(item);
    item.hidden = !asked.every((each) => matches(words, each));
    found += !item.hidden;
  }
  nobody.hidden = found > 0;
}

field.addEventListener("input", find);
document.addEventListener("htmx:afterSwap", find);
if (field.value) find();
