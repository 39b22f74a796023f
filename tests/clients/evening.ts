/** An evening by openapi-fetch, with the types that openapi-typescript makes of the description.
 *
 * Started with the address of a server, a token of an owner, and the slug of the club.
 */

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

type Schemas = components["schemas"];
type Deal = Schemas["DealEntry"];

const [server = "", token = "", club = ""] = process.argv.slice(2);

function clientOf(key?: string) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  return createClient<paths>({ baseUrl: server, headers });
}

function check(holds: boolean, said: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(said));
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
}

function got<Data>(answer: Answer<Data>): Data {
  check(answer.data !== undefined, answer.error);
  return answer.data;
}

function isProblem(error: unknown): error is Schemas["Problem"] {
  return typeof error === "object" && error !== null && "problems" in error;
}

const penalties: [string, Schemas["UnitCounts"]][] = [
  ["no-tricks", { tricks: [4, 3, 3, 3] }],
  ["no-hearts", { hearts: [4, 3, 3, 3] }],
  ["no-men", { men: [2, 2, 2, 2] }],
  ["no-queens", { queens: [2, 1, 1, 0] }],
  ["heart-king", { heart_king: [0, 0, 1, 0] }],
  ["last-two", { last_two: [1, 0, 1, 0] }],
];
const suits = ["spades", "hearts", "diamonds", "clubs"] as const;

/** Twenty deals of Turkish King: twelve with penalties, eight with trumps. */
function deals(): Deal[] {
  const counts = { tricks: [4, 3, 3, 3] };
  return [
    ...[...penalties, ...penalties].map(
      ([contract, counts]): Deal => ({ type: "deal", contract, counts }),
    ),
    ...[...suits, ...suits].map(
      (trump): Deal => ({ type: "deal", contract: "trump", trump, counts }),
    ),
  ];
}

/** Start a game at an open table, write 20 deals, and be refused twice. */
async function play(): Promise<Schemas["Game"]> {
  const players = ["Ayşe", "Burak", "Cem", "Deniz"];
  const body = { ruleset: "turkish-king", players };
  const game = got(await clientOf().POST("/api/v1/games/", { body }));
  const client = clientOf(game.keys.write);
  for (const [number, entry] of deals().entries()) {
    const header = { "Idempotency-Key": `${game.id}-${number}` };
    const written = await client.POST("/api/v1/games/{id}/entries/", {
      params: { path: { id: game.id }, header },
      body: { entry, author: "Ayşe" },
    });
    check(got(written).revision === number + 1, written);
  }
  await beRefused(client, game.id);
  const log = await walk((query) =>
    client.GET("/api/v1/games/{id}/log/", { params: { path: { id: game.id }, query } }),
  );
  check(log.length === 20, log);
  return got(await client.GET("/api/v1/games/{id}/", { params: { path: { id: game.id } } }));
}

/** Correct a deal wrongly, then from an old revision. */
async function beRefused(client: ReturnType<typeof clientOf>, id: string) {
  const correct = (entry: Deal, revision: number) =>
    client.PUT("/api/v1/games/{id}/entries/{position}/", {
      params: { path: { id, position: 0 }, header: { "If-Match": `"${revision}"` } },
      body: { entry },
    });
  const wrong = await correct(
    { type: "deal", contract: "no-tricks", counts: { tricks: [14, 0, 0, 0] } },
    20,
  );
  check(isProblem(wrong.error) && wrong.error.status === 422, wrong.error);
  check(wrong.error.problems[0]?.where.startsWith("entry") ?? false, wrong.error);
  const [first] = deals();
  check(first !== undefined, first);
  const late = await correct(first, 3);
  check(isProblem(late.error) && late.error.code === "changed-meanwhile", late.error);
  check(late.error.revision === 20, late.error);
}

/** Make a tournament, register a player by its link, and read the standings. */
async function register(client: ReturnType<typeof clientOf>): Promise<string> {
  const made = got(
    await client.POST("/api/v1/clubs/{club}/tournaments/", {
      params: { path: { club } },
      body: {
        name: "By another client",
        held_on: "2026-12-06",
        ruleset: "turkish-king",
        preset: "swiss-day",
      },
    }),
  );
  const path = { club, tournament: made.slug };
  const moved = await client.POST("/api/v1/clubs/{club}/tournaments/{tournament}/move/", {
    params: { path },
    body: { state: "registration" },
  });
  check(got(moved).state === "registration", moved);
  const links = got(
    await client.GET("/api/v1/clubs/{club}/tournaments/{tournament}/links/", { params: { path } }),
  );
  for (const name of ["Ayşe", "Burak", "Cem"]) {
    const entered = await clientOf(links.register.key).POST(
      "/api/v1/tournaments/{id}/registrations/",
      { params: { path: { id: made.id } }, body: { name } },
    );
    check(got(entered).name === name, entered);
  }
  const standings = await client.GET(
    "/api/v1/clubs/{club}/tournaments/{tournament}/standings/",
    { params: { path } },
  );
  check(got(standings).results.length === 3, standings);
  return made.slug;
}

interface Page<Row> {
  next: string | null;
  results: Row[];
}

/** Return the rows of all pages of a list, two by two. */
async function walk<Row>(
  page: (query: { page_size: number; cursor?: string }) => Promise<Answer<Page<Row>>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const found = got(await page({ page_size: 2, ...(cursor ? { cursor } : {}) }));
    rows.push(...found.results);
    cursor = (found.next && new URL(found.next).searchParams.get("cursor")) || undefined;
  } while (cursor);
  return rows;
}

/** Page through all lists; print how many rows each has. */
async function readLists(client: ReturnType<typeof clientOf>, tournament: string) {
  const path = { club };
  const lists = [
    "/api/v1/clubs/{club}/audit/",
    "/api/v1/clubs/{club}/events/",
    "/api/v1/clubs/{club}/house-rules/",
    "/api/v1/clubs/{club}/invitations/",
    "/api/v1/clubs/{club}/members/",
    "/api/v1/clubs/{club}/players/",
    "/api/v1/clubs/{club}/seasons/",
    "/api/v1/clubs/{club}/tournaments/",
    "/api/v1/clubs/{club}/webhooks/",
  ] as const;
  for (const list of lists) {
    const rows = await walk<unknown>((query) => client.GET(list, { params: { path, query } }));
    console.log(`${rows.length} ${list}`);
  }
  const parts = ["entrants", "rulings"] as const;
  for (const part of parts) {
    const rows = await walk<unknown>((query) =>
      client.GET(`/api/v1/clubs/{club}/tournaments/{tournament}/${part}/`, {
        params: { path: { club, tournament }, query },
      }),
    );
    console.log(`${rows.length} ${part}`);
  }
  const clubs = await walk((query) => client.GET("/api/v1/clubs/", { params: { query } }));
  const games = await walk((query) => client.GET("/api/v1/games/", { params: { query } }));
  console.log(`${clubs.length} clubs, ${games.length} games`);
}

/** Read the feed of changes to its end; return its last number. */
async function follow(client: ReturnType<typeof clientOf>, after: number): Promise<number> {
  for (;;) {
    const query = { after, limit: 5 };
    const feed = got(await client.GET("/api/v1/changes/", { params: { query } }));
    after = feed.last;
    if (!feed.more) return after;
  }
}

const client = clientOf(token);
const begin = await follow(client, 0);
const game = await play();
console.log(`${game.entries.length} deals, finished: ${game.result.finished}`);
await readLists(client, await register(client));
console.log(`${(await follow(client, begin)) - begin} changes`);
