// A search in a list that is on the page: what does not match is hidden, also after an update.

const field = document.querySelector("[data-find]");
const nobody = document.getElementById("found-none");
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ı", "i");
// Details that a phone leaves out match, too.
function textOf(item) {
  const parts = [], texts = document.createNodeIterator(item, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) parts.push(text.data);
  return parts.join(" ");
}
const wordsOf = (item) => fold(textOf(item)).split(/[^\p{L}\p{N}]+/u);

// The first number of a line is its table or place; the others are points.
const isNumber = (word) => /^\d+$/.test(word);
const matches = (words, asked) => (isNumber(asked) ? words.find(isNumber) === asked : words.some((word) => word.startsWith(asked)));

function find() {
  const asked = fold(field.value).split(/\s+/).filter(Boolean);
  let found = 0;
  for (const item of document.querySelectorAll(field.dataset.find)) {
    const words = wordsOf(item);
    item.hidden = !asked.every((each) => matches(words, each));
    found += !item.hidden;
  }
  nobody.hidden = found > 0;
}

// The strip of directors grows with its text; the search stays below it.
const above = new CSSStyleSheet();
document.adoptedStyleSheets.push(above);
function stay() {
  const strip = document.getElementById("strip");
  if (strip) above.replaceSync(`html { --above: ${strip.offsetHeight}px }`);
}

field.addEventListener("input", find);
document.addEventListener("htmx:afterSwap", () => { find(); stay(); });
window.addEventListener("resize", stay);
stay();
if (field.value) find();
