// The tables of this phone: those it holds beside those of its cookie, searched here, kept for a time without signal.

import { addresses, held, hold, replace } from "./held.js";

const KEPT = "kingscore.tables.shown";
const place = () => document.getElementById("tables");
const shown = () => JSON.parse(document.getElementById("held").textContent);
const search = document.querySelector(".search");
const input = search?.querySelector("input");

const plain = (text) => text.toLocaleLowerCase(document.documentElement.lang).normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ı", "i");

function find() {
  const words = plain(input.value).split(/\s+/).filter(Boolean);
  const lines = [...place().querySelectorAll(".evenings > li")];
  for (const line of lines) {
    const text = plain(`${line.textContent} ${line.dataset.search}`);
    line.hidden = !words.every((word) => text.includes(word));
  }
  const none = document.getElementById("none-found");
  none.hidden = !lines.length || lines.some((line) => !line.hidden);
  none.textContent = none.hidden ? "" : none.dataset.none;
}

// The tables of an account are not left on the phone.
function keep() {
  try {
    if ("account" in place().dataset) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, place().outerHTML);
  } catch { /* shown again once there is a signal */ }
}

async function ask() {
  const body = new URLSearchParams(addresses().map((address) => ["address", address]));
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  try {
    const response = await fetch(location.pathname, { method: "POST", body });
    if (!response.ok) return;
    place().outerHTML = await response.text();
    replace(Object.fromEntries(Object.entries(shown()).reverse()));
    keep();
  } catch {
    const kept = localStorage.getItem(KEPT);
    if (kept) place().outerHTML = kept;
    document.getElementById("no-signal").hidden = false;
  }
  find();
}

hold(shown());
if (place()) {
  search.hidden = false;
  input.addEventListener("input", find);
  document.getElementById("no-signal").hidden = navigator.onLine;
  const listed = shown();
  if (Object.keys(held()).some((game) => !(game in listed))) ask();
  else keep();
}

// What is carried or kept is all that this phone holds.
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[data-held]")) return;
  for (const field of target.querySelectorAll("[name=address]")) field.remove();
  for (const value of addresses()) {
    target.append(Object.assign(document.createElement("input"), { type: "hidden", name: "address", value }));
  }
});
