import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { type Fingerprint, fingerprint } from "./fingerprint.ts";
import { parseObject } from "./json-object.ts";

/** One parsed request, with everything that its answer may depend on. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Whose call it is: what is stored for it is for this account alone. */
  readonly account: string;
  /** null: absent, or not a JSON object. */
  readonly body: JsonObject | null;
  readonly ids: Fingerprint;
  readonly nowMs: number;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/** A real model generates about seventy tokens per second. */
const BELIEVABLE_PACE_MS = 14;

export interface CallOptions {
  readonly account?: string;
  readonly paceMs?: number;
  readonly now?: () => number;
}

export async function readCall(request: Request, options: CallOptions): Promise<Call> {
  const url = new URL(request.url);
  const text = await request.text();
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    account: options.account ?? "",
    body: parseObject(text),
    // Deliberately without the credential: a key must not leave a trace, not even in an id.
    ids: fingerprint(request.method, url.pathname, text),
    nowMs: (options.now ?? Date.now)(),
    paceMs: options.paceMs ?? BELIEVABLE_PACE_MS,
    signal: request.signal,
  };
}

export function epochSeconds(call: Call): number {
  return Math.floor(call.nowMs / 1000);
}

/** The key after `Bearer`, or null. */
export function bearerKey(headers: Headers): string | null {
  return /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}
