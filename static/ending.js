// The end of a game that only this phone knows: who has won, and the standings.

import * as Fold from "./fold.js";

const put = (text, names) => text.replace("{players}", names).replace("{player}", names);

function headline(state, { ranks, out }, names, words) {
  const { king } = state.ending;
  if (!king) return verdict(ranks, out, names, words);
  const player = names[king.side];
  if (names.length < state.players.length || out === null) {
    return `${put(king.made ? words.king : words.failed, player)} ${verdict(ranks, out, names, words)}`;
  }
  return put(king.made ? words.kingAlone : words.failedAlone, player);
}

function verdict(ranks, out, names, words) {
  if (out?.length) return put(words.out, out.map((side) => names[side]).join(", "));
  if (out) return words.nobody;
  const best = names.filter((_, side) => ranks[side] === 1);
  const isDraw = best.length === names.length && words.drawn;
  return isDraw ? words.draw : put(words.won, best.join(", "));
}

function namesOf(state) {
  const sides = [...new Set(state.sides)].sort();
  return sides.map((side) => state.players.filter((_, seat) => state.sides[seat] === side).join(" + "));
}

function made(name, className, text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

function standing(side, state, { ranks, out }, names, words) {
  const isOut = out?.includes(side);
  const line = made("li", out ? (isOut ? "out" : "sunk") : "");
  const king = state.ending.king;
  line.append(made("span", "rank", ranks[side]), " ", made("strong", "", names[side]));
  if (king?.made && king.side === side) line.append(" ", made("span", "crown", "King"));
  line.append(" ", made("span", "verdict", out ? (isOut ? words.isOut : words.isSunk) : ""), " ");
  line.append(made("span", "total", Fold.text(state.totals[side])));
  return line;
}

function leadTo(address, text) {
  const link = made("a", "button", text);
  link.href = address;
  const row = made("div", "row");
  row.append(link);
  return row;
}

// A match as it stands with this game; null where that decides it.
function goingOn({ won, played, length, number }, ranks) {
  const isLevel = ranks.every((rank) => rank === 1);
  const now = won.map((games, side) => games + Number(!isLevel && ranks[side] === 1));
  const most = Math.max(...now);
  const isOver = length === "first-to" ? most >= number : 2 * most > number || played + 1 >= number;
  return isOver ? null : { won: now, played: played + 1, length, number };
}

function nextGame(match, text) {
  const form = made("form", "next", "");
  Object.assign(form.dataset, { outbox: "next", soFar: JSON.stringify(match) });
  form.setAttribute("action", "next-game/");
  form.append(made("button", "button", text));
  return form;
}

// The section of a finished game, as the server draws it; null where the totals are not known.
function draw(state) {
  const source = document.getElementById("verdicts");
  if (!source || !state.rules || state.totals.some((total) => typeof total !== "number")) return null;
  const said = document.getElementById("outbox").dataset;
  const words = { ...said, ...JSON.parse(source.textContent), drawn: state.rules.settings.outcome !== "highest-wins" };
  const outcome = Fold.outcome(state.rules, state);
  const names = namesOf(state);
  const heading = made("h2", "", headline(state, outcome, names, words));
  heading.id = "end-title";
  heading.tabIndex = -1;
  const order = [...names.keys()].sort((one, other) => outcome.ranks[one] - outcome.ranks[other]);
  const list = made("ol", "standings");
  list.append(...order.map((side) => standing(side, state, outcome, names, words)));
  const section = made("section", "end");
  section.setAttribute("aria-labelledby", heading.id);
  section.append(heading, list);
  const match = state.match && goingOn(state.match, outcome.ranks);
  if (match) section.append(nextGame(match, words.next));
  else if (state.here) section.append(leadTo(`${words.new}#after=${location.hash.slice(1)}`, words.rematch));
  else if (document.getElementById("again")) section.append(leadTo(`${location.pathname}rematch/`, words.rematch));
  return section;
}

export { draw };
