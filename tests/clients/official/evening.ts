/** An evening by the package of `make clients`, through a proxy that loses requests and answers.
 *
 * Started with the address of the proxy, a token of an owner, and the slug of the club.
 */

import { connect, Refusal, type components } from "kingscore-client";

type Deal = components["schemas"]["DealEntry"];

const [server = "", token = "", club = ""] = process.argv.slice(2);

function hearts(...counts: number[]): Deal {
  return { type: "deal", contract: "no-hearts", counts: { hearts: counts } };
}

const owner = connect(server, { token });
const players = ["Ayşe", "Burak", "Cem", "Deniz"];
const started = await owner.POST("/api/v1/games/", { body: { ruleset: "turkish-king", players } });
const game = started.data!;
const phone = connect(server, { token: game.keys.write });
const path = { id: game.id };
for (let deal = 0; deal < 2; deal++) {
  const body = { entry: hearts(4, 3, 3, 3) };
  await phone.POST("/api/v1/games/{id}/entries/", { params: { path }, body });
}
const refusals: string[] = [];
for (const [client, entry, revision] of [
  [phone, hearts(14, 0, 0, 0), 2],
  [phone, hearts(3, 4, 3, 3), 1],
  [connect(server, { token: "nobody" }), hearts(3, 4, 3, 3), 2],
] as const) {
  try {
    await client.PUT("/api/v1/games/{id}/entries/{position}/", {
      params: { path: { ...path, position: 0 }, header: { "If-Match": `"${revision}"` } },
      body: { entry },
    });
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || !refusal.requestId) throw refusal;
    refusals.push(`${refusal.status} ${refusal.problem?.code}`);
  }
}
const one = await phone.GET("/api/v1/games/{id}/", { params: { path } });
const two = await phone.GET("/api/v1/games/{id}/", { params: { path } });
if (JSON.stringify(one.data) !== JSON.stringify(two.data)) throw new Error("not the same");
const list = await owner.GET("/api/v1/clubs/{club}/players/", { params: { path: { club } } });
console.log([one.data?.entries.length, list.data?.results.length, ...refusals].join("\n"));
