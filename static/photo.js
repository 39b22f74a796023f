// The photo of a paper sheet: pictures are made smaller before they leave the phone, which also takes their
// place and time out of them; what was read is taken by a tap, and added up.

const MOST_PIXELS = 5_000_000;
const send = () => document.querySelector(".photo-send");
const number = (text) => Number(String(text).replace(/[−–]/g, "-").replace(",", "."));

async function smaller(file) {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (picture.width * picture.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(picture.width * scale);
  canvas.height = Math.floor(picture.height * scale);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const blob = await new Promise((made) => { canvas.toBlob(made, "image/jpeg", 0.85); });
  return new File([blob], "photo.jpg", { type: "image/jpeg" });
}

async function chosen(input) {
  const broken = send().querySelector(".photo-broken");
  broken.hidden = true;
  const files = [...input.files];
  if (!files.length) return;
  try {
    const anew = new DataTransfer();
    for (const file of files) anew.items.add(await smaller(file));
    input.files = anew.files;
  } catch {
    // HEIC outside of Apple's browsers: no server reads it either.
    input.value = "";
    broken.hidden = false;
    return;
  }
  send().requestSubmit();
}

const rules = () => JSON.parse(document.getElementById("game-rules").textContent);
const inputsOf = (deal) => [...deal.querySelectorAll("input[type=number]")];

function take(field) {
  const button = field.querySelector(".photo-take");
  const input = field.querySelector("input, select");
  if (!button) return;
  const name = [...(input.options ?? [])].find(({ value }) => value === button.dataset.value)?.text;
  button.textContent = `${name ?? button.dataset.value} ✓`;
  button.hidden = input.value !== "";
}

function addUp(form) {
  const totals = [...form.querySelectorAll(".photo-totals .photo-field")];
  const sums = totals.map(() => 0);
  const { contracts, units, steps } = rules();
  let isComplete = true;
  for (const deal of form.querySelectorAll(".photo-deal")) {
    const values = inputsOf(deal).map(({ value }) => value);
    const contract = contracts.find(({ id }) => id === deal.querySelector("select").value.split(":")[0]);
    const [[unit, points] = []] = Object.entries(contract?.values ?? {});
    const total = units[unit]?.total;
    const isFull = contract && values.every((value) => value !== "");
    const sum = values.reduce((all, value) => all + Number(value), 0);
    const isWrong = isFull && total !== null && sum !== total;
    const said = deal.querySelector(".photo-sum");
    said.textContent = isWrong ? `Σ ${sum} ≠ ${total}` : "";
    said.classList.toggle("wrong", isWrong);
    // Some contracts only the server can score.
    const adds = isFull && contract.scoring === "per-unit" && !contract.base && !steps.length;
    if (adds) values.forEach((value, side) => { sums[side] += Number(value) * number(points); });
    else if (contract || values.some((value) => value !== "")) isComplete = false;
  }
  const differ = totals.map((field, side) => {
    const { value } = field.querySelector("input");
    const said = field.querySelector("output");
    const isWrong = isComplete && value.trim() !== "" && number(value) !== sums[side];
    said.textContent = isComplete ? `${isWrong ? "≠" : "="} ${String(sums[side]).replace("-", "−")}` : "";
    said.classList.toggle("wrong", isWrong);
    return isWrong;
  });
  form.querySelector(".photo-contradicted").hidden = !differ.includes(true);
}

function draw() {
  document.querySelectorAll(".photo-field").forEach(take);
  const form = document.querySelector(".photo-confirm");
  if (form) addUp(form);
}

document.addEventListener("change", ({ target }) => {
  if (target.name === "pictures") chosen(target);
  else if (target.closest(".photo-confirm")) draw();
});
document.addEventListener("input", ({ target }) => { if (target.closest(".photo-confirm")) draw(); });
document.addEventListener("click", ({ target }) => {
  const button = target.closest(".photo-take");
  if (!button) return;
  button.parentElement.querySelector("input, select").value = button.dataset.value;
  draw();
});
document.addEventListener("htmx:afterSwap", draw);
draw();
