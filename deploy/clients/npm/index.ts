/** A client with retries that write once, cached ETags, and exceptions for refused requests. */

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, paths };
export type Problem = components["schemas"]["Problem"];

const NOT_DONE = [429, 503];
const UNANSWERED = [502, 504];
const LONGEST_WAIT = 30_000;
const MOST_REMEMBERED = 200;

/** The server refused a request; `problem` says why, and `requestId` finds it in the log. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem | undefined,
    readonly requestId: string | null,
  ) {
    super(`${status} ${problem?.code ?? ""}`.trim());
    this.name = "Refusal";
  }
}

export interface Options {
  token?: string;
  /** How often a request is sent at most. */
  tries?: number;
  fetch?: (request: Request) => Promise<Response>;
}

/** Return a client of openapi-fetch, which throws a Refusal for each answer from 400 on. */
export function connect(server: string, options: Options = {}): Client<paths> {
  const { token, tries = 6, fetch = globalThis.fetch } = options;
  const remembered = new Map<string, Response>();

  async function ask(request: Request): Promise<Response> {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    }
    const known = request.method === "GET" ? remembered.get(request.url) : undefined;
    const tag = known?.headers.get("ETag");
    if (tag) request.headers.set("If-None-Match", tag);
    const response = await send(request, tries, fetch);
    if (response.status === 304 && known) return known.clone();
    if (response.status >= 400) {
      const problem = (await response.json().catch(() => undefined)) as Problem | undefined;
      throw new Refusal(response.status, problem, response.headers.get("X-Request-ID"));
    }
    if (request.method === "GET" && response.headers.has("ETag")) {
      remembered.delete(request.url);
      remembered.set(request.url, response.clone());
      const [oldest] = remembered.keys();
      if (remembered.size > MOST_REMEMBERED && oldest) remembered.delete(oldest);
    }
    return response;
  }

  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return createClient<paths>({ baseUrl: server, headers, fetch: ask });
}

async function send(
  request: Request,
  tries: number,
  fetch: (request: Request) => Promise<Response>,
): Promise<Response> {
  // A change whose answer got lost may have been made, and would be refused the second time.
  const repeatable = ["GET", "HEAD", "POST"].includes(request.method);
  for (let number = 0; number < tries - 1; number++) {
    let wait = Math.min(LONGEST_WAIT, 250 * 2 ** number) * (0.5 + Math.random() / 2);
    try {
      const response = await fetch(request.clone());
      const lost = repeatable ? [...NOT_DONE, ...UNANSWERED] : NOT_DONE;
      if (!lost.includes(response.status)) return response;
      const after = Number(response.headers.get("Retry-After") ?? NaN);
      if (after >= 0) wait = Math.min(LONGEST_WAIT, after * 1000);
    } catch (error) {
      if (!repeatable) throw error;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
  return fetch(request.clone());
}
