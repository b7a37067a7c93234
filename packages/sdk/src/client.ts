import type { AnyOperation, OutputOf, RequestOf } from "@tollgate/core/contract/operation";
import { type OperationId, type Operations, operations } from "@tollgate/core/contract/operations";
import { type InputParts, splitInput } from "@tollgate/core/contract/split-input";
import type { Mode } from "@tollgate/core/event";
import { ClientError } from "./client-error.ts";

export interface ClientOptions {
  /** Address of the web API, such as http://127.0.0.1:3000 */
  readonly baseUrl: string;
  /** Address of the operations if it is not `/api` below the base: a proxy may mount them elsewhere. */
  readonly apiUrl?: string;
  /** Omitted in a browser, which sends the session's cookie. */
  readonly apiKey?: string;
  /** With a session: whether live or test traffic is read. A key has a mode of its own. */
  readonly mode?: Mode;
  /** Additional headers for every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Timeout of one attempt; of a file, until it begins to arrive. */
  readonly timeoutMs?: number;
  /** For reads only: a write may have taken effect although its response was lost. */
  readonly retries?: number;
}

type Input<Id extends OperationId> = RequestOf<Operations[Id]>;
type Output<Id extends OperationId> = OutputOf<Operations[Id]>;
/** The input may be omitted if the operation requires none. */
type Arguments<Id extends OperationId> =
  Record<never, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>];

export interface Client {
  /** `await client.call("budgets.create", { period: "daily", … })` */
  call<Id extends OperationId>(id: Id, ...input: Arguments<Id>): Promise<Output<Id>>;
  /** Reports the outcome of a run, for the session that its calls were tagged with. */
  reportOutcome(outcome: OutcomeReport): Promise<Output<"outcomes.create">>;
}

export interface OutcomeReport {
  readonly name: string;
  readonly sessionId?: string;
  readonly success?: boolean;
  readonly notes?: string;
  readonly metadata?: Record<string, unknown>;
  /** `revenue` counts as revenue; another type, or none, as other value. */
  readonly outcomeType?: string;
  /** Negative: a refund or a chargeback. */
  readonly valueCents?: number;
}

const RETRY_STATUSES = new Set([429, 500, 502, 503, 504]);
const FIRST_PAUSE_MS = 200;

/** The web API as functions: every operation of the contract, with its types. */
export function createClient(options: ClientOptions): Client {
  const client: Client = {
    async call(id, ...[input]) {
      const operation: AnyOperation = operations[id];
      const answer = await send(operation, splitInput(operation, { ...input }), options);
      // The contract defines this operation's output, and the server's types and tests enforce it.
      return (await read(operation, answer)) as Output<typeof id>;
    },
    reportOutcome: ({ name, sessionId, success, notes, metadata, outcomeType, valueCents }) =>
      client.call("outcomes.create", {
        name,
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
        ...(success === undefined ? {} : { success }),
        ...(notes === undefined ? {} : { notes }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(outcomeType === undefined ? {} : { outcome_type: outcomeType }),
        ...(valueCents === undefined ? {} : { value_cents: valueCents }),
      }),
  };
  return client;
}

async function send(operation: AnyOperation, parts: InputParts, options: ClientOptions): Promise<Response> {
  const { fetch: fetchIt = fetch, timeoutMs = 30_000 } = options;
  const retries = operation.method === "GET" ? (options.retries ?? 2) : 0;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    try {
      const request = (signal: AbortSignal) => fetchIt(toRequest(operation, parts, options, signal));
      const answer = operation.produces
        ? await begunInTime(request, timeoutMs)
        : await request(AbortSignal.timeout(timeoutMs));
      if (isLast || !RETRY_STATUSES.has(answer.status)) return answer;
      await answer.body?.cancel();
    } catch (fault) {
      if (isLast) throw fault;
    }
    await new Promise(resolve => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
  }
}

/** A file has any length: only the wait for its beginning is limited. */
async function begunInTime(
  request: (signal: AbortSignal) => Promise<Response>,
  timeoutMs: number,
): Promise<Response> {
  const overdue = new AbortController();
  const timer = setTimeout(
    () => overdue.abort(new DOMException("The operation timed out.", "TimeoutError")),
    timeoutMs,
  );
  try {
    return await request(overdue.signal);
  } finally {
    clearTimeout(timer);
  }
}

function toRequest(
  operation: AnyOperation,
  { params, query, body }: InputParts,
  options: ClientOptions,
  signal: AbortSignal,
): Request {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  // Joined as text, so that a base address keeps its path.
  const apiUrl = options.apiUrl ?? `${options.baseUrl.replace(/\/+$/, "")}/api`;
  const url = new URL(apiUrl.replace(/\/+$/, "") + path.slice("/api".length));
  if (options.mode !== undefined) url.searchParams.set("mode", options.mode);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const hasBody = operation.body !== undefined;
  return new Request(url.href, {
    method: operation.method,
    signal,
    headers: {
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...options.headers,
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
}

async function read(operation: AnyOperation, answer: Response): Promise<unknown> {
  if (!answer.ok) throw new ClientError(answer.status, await errorBody(answer));
  if (operation.produces) return answer;
  return operation.output === undefined ? undefined : await answer.json();
}

async function errorBody(answer: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await answer.json();
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
