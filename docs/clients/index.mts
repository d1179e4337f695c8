import createClient from "openapi-fetch";
import type { paths } from "./tracker.d.ts";

export type { components, operations, paths } from "./tracker.d.ts";

const ATTEMPTS = 4;
const LONGEST_WAIT_SECONDS = 60;
const TIMEOUT_MS = 60_000;

type Refusal = { error: string; meta: { code: string } };

/** The service refused a request for the reason `code`. */
export class ApiError extends Error {
  readonly code: string;
  readonly meta: Refusal["meta"];

  constructor(answer: Refusal) {
    super(`${answer.meta.code}: ${answer.error}`);
    this.code = answer.meta.code;
    this.meta = answer.meta;
  }
}

/**
 * Sends a request again, three times at most, where that is safe.
 *
 * Each POST has an `Idempotency-Key`, so that it is done once. GET and POST are sent again after a
 * broken connection and when the service asks to wait; other methods only after 429, which does
 * nothing.
 */
export async function patient(request: Request): Promise<Response> {
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  const isRepeatable = ["GET", "POST"].includes(request.method);
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS - 1;
    let seconds = 2 ** attempt;
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(request.clone(), { signal });
      const text = await response.clone().text();
      const wait = response.headers.get("Retry-After");
      if (wait !== null) seconds = secondsOf(wait);
      // 409: the first request with this key is still in progress.
      const passing = isRepeatable ? [429, 502, 503, 504, ...(wait ? [409] : [])] : [429];
      if (isLast || seconds > LONGEST_WAIT_SECONDS || !passing.includes(response.status)) {
        return checked(response, text);
      }
    } catch (error) {
      if (isLast || !isRepeatable || request.signal.aborted || error instanceof UnexpectedAnswerError) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

/** Returns what `Retry-After` says, in seconds or as a date. */
function secondsOf(wait: string): number {
  const seconds = /^\d+$/.test(wait) ? Number(wait) : (Date.parse(wait) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? 1 : Math.max(0, seconds);
}

/** The answer is not from the service but, for example, from a proxy. */
export class UnexpectedAnswerError extends Error {
  constructor(response: Response, text: string) {
    const words = text.replace(/<(script|style)[^]*?<\/\1>|<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
    super(`${response.status} ${response.statusText}: ${words.slice(0, 200) || "(no text)"}`);
  }
}

function checked(response: Response, text: string): Response {
  if (response.ok) {
    if (!response.headers.get("Content-Type")?.includes("text/html")) return response;
  } else {
    try {
      if (JSON.parse(text).meta.code) return response;
    } catch {
      // no answer of the service
    }
  }
  throw new UnexpectedAnswerError(response, text);
}

/** Returns a client of the service at this address. */
export function connect(baseUrl: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  return createClient<paths>({ baseUrl, headers, fetch: patient });
}

type Page<T> = {
  data?: { data: T[]; meta: { hasMore: boolean; nextCursor?: string | null } };
  error?: Refusal;
};

/** Yields the items of all pages of a list, which `list` requests with `at` in their query; throws ApiError. */
export async function* every<T>(list: (at: { cursor?: string }) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let at: { cursor?: string } = {}, more = true; more; ) {
    const { data, error } = await list(at);
    if (error) throw new ApiError(error);
    yield* data!.data;
    at = { cursor: data!.meta.nextCursor! };
    more = data!.meta.hasMore;
  }
}
