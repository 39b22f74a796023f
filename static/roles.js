// Who deals, cuts, names and leads, from the steps for each contract in the page's data.

import { all, contractOf, one } from "./counts.js";

// As far as the contracts that this deal may be of agree.
function showRoles(form) {
  const head = one(form, ".deal");
  const source = document.getElementById("game-state");
  if (!head || !source) return;
  // Without a signal others may be on turn, and have other names.
  const { roles, players, declarer } = { ...JSON.parse(source.textContent), ...JSON.parse(head.dataset.now ?? "{}") };
  const { duties, of, names, buys } = roles;
  const chosen = contractOf(form);
  const open = chosen ? [chosen] : all(form, "[name=contract]:enabled");
  const [first, ...others] = (open.length ? open.map(({ value }) => of[value] ?? 0) : [0]).map((number) => duties[number]);
  const buyer = chosen?.classList.contains("asks-sale") ? one(form, "[name=sale_buyer]")?.value : "";
  const verbs = new Map([[declarer, []]]);
  for (const [does, step] of first) {
    if (!others.every((each) => each.some(([verb, at]) => verb === does && at === step))) continue;
    const isSold = buyer && names.includes(does);
    const seat = isSold ? Number(buyer) : (declarer + step) % players.length;
    verbs.set(seat, [...(verbs.get(seat) ?? []), isSold ? buys : does]);
  }
  const shown = [...verbs];
  all(head, "[data-role]").forEach((slot, number) => {
    slot.hidden = number >= shown.length;
    const [seat, does] = shown[number] ?? [0, []];
    one(slot, "strong").textContent = players[seat];
    one(slot, ".soft").textContent = does.join(", ");
  });
  const own = verbs.get(declarer);
  for (const tile of all(form, "[data-turn]")) tile.dataset.turn = own.find((does) => names.includes(does)) ?? own[0] ?? "";
}

// The seats that a row of the sheet marks: who dealt, and who named or bought the contract.
function marksOf({ roles, players, declarer }, { contract, sale, namedBy }) {
  const seatOf = (verbs) => {
    const duty = roles.duties[roles.of[contract] ?? 0].find(([does]) => verbs.includes(does));
    return duty && (declarer + duty[1]) % players.length;
  };
  const names = seatOf(roles.names);
  return { deals: seatOf([roles.deals]), declares: sale?.buyer ?? (names === undefined ? names : (namedBy ?? names)) };
}

export { marksOf, showRoles };
