import {
  type CallReport,
  encodeExport,
  encodeReport,
  encodeSpan,
  type FinishedSpan,
  OWN_SCOPE,
  type ScopedSpan,
  scopeOf,
} from "./encode-span.ts";

export interface SpanExporterOptions {
  /** Address of the gateway, such as `http://127.0.0.1:8787`. */
  readonly gatewayUrl: string;
  readonly apiKey: string;
  /** Spans that may be queued or in flight; further ones are dropped and counted. */
  readonly maxQueuedSpans?: number;
  readonly maxBatchSpans?: number;
  /** How long a reported call may wait to be batched with others. */
  readonly flushAfterMs?: number;
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
  /** Called when spans were dropped or refused. The text contains no data from spans. */
  readonly onProblem?: (problem: string) => void;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** The OpenTelemetry SDK's type: 0 is success, 1 is failure. */
export interface SpanExportResult {
  readonly code: 0 | 1;
  readonly error?: Error;
}

const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 1000;
/** If the gateway asks for a longer wait (its monthly limit was reached), the batch is dropped. */
const MAX_WAIT_MS = 60_000;

/**
 * Reports calls that did not go through the gateway, as OTLP spans. Pass it to a span processor of the OpenTelemetry
 * SDK, or call `report`. It never throws into the caller's code, and its queue is bounded: while the gateway is
 * unreachable, telemetry is lost instead of memory filling up.
 */
export class SpanExporter {
  readonly #options;
  readonly #url: string;
  #queue: ScopedSpan[] = [];
  /** Spans queued or in flight. */
  #held = 0;
  #dropped = 0;
  #sending: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isShutDown = false;

  constructor(options: SpanExporterOptions) {
    this.#url = `${options.gatewayUrl.replace(/\/+$/, "")}/v1/traces`;
    this.#options = {
      maxQueuedSpans: 2048,
      maxBatchSpans: 512,
      flushAfterMs: 1000,
      maxAttempts: 5,
      timeoutMs: 10_000,
      onProblem: () => {},
      fetch: (url: string, init: RequestInit) => fetch(url, init),
      sleep: (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms)),
      ...options,
    };
  }

  /** Spans dropped because the queue was full or the gateway did not accept them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** False if it was dropped because the queue is full. */
  report(call: CallReport): boolean {
    if (!this.#hold(1)) return false;
    this.#queue.push({ scope: OWN_SCOPE, span: encodeReport(call, Date.now()) });
    if (this.#queue.length >= this.#options.maxBatchSpans) this.#sendQueue();
    else this.#timer ??= unreferenced(setTimeout(() => this.#sendQueue(), this.#options.flushAfterMs));
    return true;
  }

  export(spans: readonly FinishedSpan[], resultCallback: (result: SpanExportResult) => void): void {
    if (!this.#hold(spans.length)) {
      resultCallback({ code: 1, error: new Error("the queue is full, or the exporter is shut down") });
      return;
    }
    void this.#send(spans.map(span => ({ scope: scopeOf(span), span: encodeSpan(span) }))).then(
      () => resultCallback({ code: 0 }),
      fault => resultCallback({ code: 1, error: fault instanceof Error ? fault : new Error(String(fault)) }),
    );
  }

  /** Resolves when every queued span was sent or dropped. */
  async forceFlush(): Promise<void> {
    this.#sendQueue();
    await this.#sending;
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    await this.forceFlush();
  }

  #hold(spans: number): boolean {
    if (this.#isShutDown || this.#held + spans > this.#options.maxQueuedSpans) {
      this.#dropped += spans;
      this.#options.onProblem(`${spans} spans dropped: the queue is full, or the exporter is shut down`);
      return false;
    }
    this.#held += spans;
    return true;
  }

  #sendQueue(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#queue;
    this.#queue = [];
    for (let from = 0; from < waiting.length; from += this.#options.maxBatchSpans) {
      this.#send(waiting.slice(from, from + this.#options.maxBatchSpans)).catch(() => {});
    }
  }

  /** One batch at a time, so that an overloaded gateway is not sent more. */
  #send(spans: readonly ScopedSpan[]): Promise<void> {
    const sent = this.#sending.then(async () => {
      try {
        await this.#deliver(spans);
      } catch (fault) {
        this.#dropped += spans.length;
        this.#options.onProblem(
          `${spans.length} spans dropped: ${fault instanceof Error ? fault.message : fault}`,
        );
        throw fault;
      } finally {
        this.#held -= spans.length;
      }
    });
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #deliver(spans: readonly ScopedSpan[]): Promise<void> {
    if (spans.length === 0) return;
    const body = JSON.stringify(encodeExport(spans));
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#post(body);
      if (outcome.done) return;
      const waitMs = outcome.waitMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
      if (!outcome.retry || attempt >= this.#options.maxAttempts || waitMs > MAX_WAIT_MS) {
        throw new Error(outcome.problem);
      }
      await this.#options.sleep(waitMs);
    }
  }

  async #post(body: string): Promise<Attempted> {
    let answer: Response;
    try {
      answer = await this.#options.fetch(this.#url, {
        method: "POST",
        headers: { authorization: `Bearer ${this.#options.apiKey}`, "content-type": "application/json" },
        body,
        redirect: "error", // the key must reach no other server
        signal: AbortSignal.timeout(this.#options.timeoutMs),
      });
    } catch {
      return { done: false, retry: true, waitMs: null, problem: "the gateway cannot be reached" };
    }
    const text = await answer.text().catch(() => "");
    if (answer.ok) {
      const rejected = rejectedSpans(text);
      if (rejected) this.#options.onProblem(`the gateway refused ${rejected}`);
      return { done: true };
    }
    return {
      done: false,
      retry: retryable.has(answer.status),
      waitMs: retryAfterMs(answer.headers.get("retry-after"), Date.now()),
      problem: `the gateway answered ${answer.status}`,
    };
  }
}

type Attempted =
  | { readonly done: true }
  | {
      readonly done: false;
      readonly retry: boolean;
      readonly waitMs: number | null;
      readonly problem: string;
    };

/** Seconds, or a date. */
function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

function rejectedSpans(text: string): string | null {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: string; errorMessage?: string };
    };
    if (!partialSuccess?.rejectedSpans || partialSuccess.rejectedSpans === "0") return null;
    return `${partialSuccess.rejectedSpans} spans: ${partialSuccess.errorMessage ?? ""}`;
  } catch {
    return null;
  }
}

/** A queued report must not keep a finished program alive; `shutdown` sends it. */
function unreferenced(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  timer.unref?.();
  return timer;
}
