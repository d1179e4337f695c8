import createClient from "openapi-fetch";
import type { paths } from "./tracker.d.ts";

export type { components, operations, paths } from "./tracker.d.ts";

/** Sends a request again, three times at most, if the service asks to wait. A POST is done once. */
export async function patient(request: Request): Promise<Response> {
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  for (let tries = 0; tries < 3; tries += 1) {
    const response = await fetch(request.clone());
    if (response.status !== 429 && response.status !== 503) return response;
    const seconds = Number(response.headers.get("Retry-After") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
  return fetch(request);
}

/** Returns a client of the service at this address. */
export function connect(baseUrl: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  return createClient<paths>({ baseUrl, headers, fetch: patient });
}

type Page<T> = {
  data?: { data: T[]; meta: { hasMore: boolean; nextCursor?: string | null } };
  error?: { error: string };
};

/** Yields the items of all pages of a list, which `list` requests with `at` in their query. */
export async function* every<T>(list: (at: { cursor?: string }) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let at: { cursor?: string } = {}, more = true; more; ) {
    const { data, error } = await list(at);
    if (!data) throw new Error(error?.error);
    yield* data.data;
    at = { cursor: data.meta.nextCursor! };
    more = data.meta.hasMore;
  }
}
