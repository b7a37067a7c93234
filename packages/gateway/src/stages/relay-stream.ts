import { fail, TollgateError } from "@tollgate/core/errors";
import { joinBytes } from "@tollgate/core/wire/join-bytes";
import type { CanonicalError } from "@tollgate/providers/canonical/answer";
import type { AnswerStream } from "@tollgate/providers/dialect";
import { SseSplitter } from "@tollgate/providers/sse";
import { isTerminalFrame } from "@tollgate/providers/terminal-frame";
import { addReturned, addServedModel, answerHeaders } from "../answer/answer-headers.ts";
import type { StrictHold } from "../budgets/hold.ts";
import type { AdmittedCall, CallResult } from "../call/admitted-call.ts";
import { brokenOffResult, completed, failedInStream } from "../call/call-result.ts";
import { undecodable } from "../call/undecodable.ts";
import { UnframedBody } from "../call/unframed-body.ts";
import { unreachable } from "../call/unreachable.ts";
import { plausibleReading } from "../pricing/plausible-reading.ts";
import { relayFailure } from "./relay-failure.ts";

/**
 * A streamed answer. Frames are metered and forwarded as they arrive; the client pulls, so a slow reader slows the
 * provider. The last frame is held until the event is on disk. Nothing is sent, not even the head, before the first
 * frame: a failure until then is an ordinary error response.
 */
export async function relayStream(
  admitted: AdmittedCall,
  upstream: Response,
  request: Request,
): Promise<Response> {
  const { call } = admitted;
  if (!upstream.body) {
    const error = fail("provider_invalid_answer", `the answer of ${call.provider.id} is empty`);
    await admitted.settle(brokenOffResult(admitted, upstream.status, error));
    throw error;
  }
  const relay = new StreamRelay(
    admitted,
    upstream.status,
    upstream.body.getReader(),
    call.exchange.openStream(admitted.meter),
  );
  const first = await relay.first();
  if (relay.failedWith && !relay.hasSent) {
    if (relay.failedWith.kind === "ours") throw relay.failedWith.error;
    return relayFailure(admitted, upstream, relay.failedWith.error);
  }
  relay.hasSent = true;
  // The client left before the first frame: do not rely on the server to cancel a body that nobody reads.
  if (request.signal.aborted) relay.clientLeft();

  // "direct": what is written goes to the client's socket, not into a queue that the server reads.
  const body = new ReadableStream<Uint8Array>({
    type: "direct",
    pull: client => relay.sendTo(client, first),
    cancel: () => relay.clientLeft(),
  });
  const headers = answerHeaders(call, "text/event-stream");
  addReturned(headers, call.provider, upstream.headers);
  addServedModel(headers, call, plausibleReading(admitted.meter).servedModel);
  headers["cache-control"] = "no-cache";
  headers.connection = "keep-alive";
  headers["x-gateway-latency"] = "streaming";
  return new Response(body, { headers });
}

/** Either our own error (502, 504) or the provider's, which came inside its stream. */
type StreamFailure =
  | { readonly kind: "ours"; readonly error: TollgateError }
  | { readonly kind: "provider"; readonly error: CanonicalError };

/** The provider exceeded the output that it was allowed. */
function budgetExhausted(): TollgateError {
  return fail("budget_exceeded", "the answer exceeded what was left of a strict budget and was cut off");
}

const AFTER_FAILURE_MS = 500;
const NOTHING = new Uint8Array(0);

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

class StreamRelay {
  ended = false;
  hasSent = false;
  failedWith: StreamFailure | null = null;
  #hasClientLeft = false;
  #isReading = false;
  readonly #splitter: SseSplitter;
  readonly #unframed = new UnframedBody();
  readonly #strict: StrictHold | null;
  readonly #onChunk = (chunk: Chunk) => this.#relay(chunk);
  readonly #onBroken = () => this.#broken();

  constructor(
    private readonly admitted: AdmittedCall,
    private readonly httpStatus: number,
    private readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">,
    private readonly stream: AnswerStream,
  ) {
    const { hold, exchange } = admitted.call;
    this.#splitter = new SseSplitter(exchange.maxFrameBytes);
    this.#strict = hold === null ? null : hold.strict;
  }

  /** The first bytes for the client: a chunk may contain nothing for it. */
  async first(): Promise<Uint8Array> {
    for (;;) {
      const piece = await this.#read();
      if (piece.length > 0 || this.ended) return piece;
    }
  }

  /** The last bytes are sent only once the event is on disk. */
  async sendTo(client: ReadableStreamDirectController, first: Uint8Array): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { tap } = this.admitted;
    for (let piece = first; ; piece = await this.#read()) {
      if (piece.length > 0 && !this.#hasClientLeft) {
        tap?.push(piece);
        const written = client.write(piece);
        // A promise: the client reads more slowly than the provider writes.
        if (typeof written !== "number") await written;
        else if (!this.ended) client.flush();
      }
      if (this.ended) break;
    }
    client.end();
    if (!this.#hasClientLeft) tap?.end();
  }

  /** Not `async`, as everything that happens to most chunks: this runs dozens of times for one answer. */
  #read(): Promise<Uint8Array> {
    this.admitted.watch.listen();
    return this.reader.read().then(this.#onChunk, this.#onBroken);
  }

  #relay({ done, value }: Chunk): Uint8Array | Promise<Uint8Array> {
    this.admitted.watch.pause();
    if (this.ended) return NOTHING;
    try {
      const out = done || !value ? this.#finish([]) : this.#push(value);
      return out instanceof Promise ? out.catch(() => this.#fail(undecodable(this.admitted))) : out;
    } catch {
      return this.#fail(undecodable(this.admitted));
    }
  }

  clientLeft(): void {
    this.#hasClientLeft = true;
    this.admitted.tap?.drop();
    if (this.admitted.isSettled) return;
    this.admitted.clientLeft();
    if (!this.admitted.isReadToEnd) {
      void this.admitted.settle({
        status: "cancelled",
        httpStatus: this.httpStatus,
        errorCode: null,
        ending: "cut",
      });
      this.ended = true;
      return;
    }
    void this.#drain();
  }

  #push(chunk: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const bytes = this.#unframed.take(chunk);
    if (bytes === null) return NOTHING;
    const pieces: (Uint8Array | string)[] = [];
    let isLast = false;
    for (const frame of this.#splitter.push(bytes)) {
      let out: Uint8Array | string;
      const before = this.#strict === null ? null : plausibleReading(this.admitted.meter);
      try {
        out = this.stream.push(frame);
      } catch (fault) {
        const isTooLong = frame.oversized !== undefined && fault instanceof TollgateError;
        // Earlier output still belongs to the client.
        return this.#failAfter(pieces, isTooLong ? fault : undecodable(this.admitted));
      }
      if (
        this.#strict !== null &&
        before !== null &&
        this.admitted.exceedsReservation(before, this.#strict.worstMicrocents)
      ) {
        return this.#failAfter(pieces, budgetExhausted());
      }
      if (frame.data !== null) this.admitted.noteFirstOutput();
      isLast ||= isTerminalFrame(frame);
      // Frames after a failure are still read, for the usage that they may state.
      if (!this.stream.failure) pieces.push(out);
    }
    this.admitted.isWritten = this.stream.isWritten === true;
    if (this.stream.failure) return this.#failWithProviders(this.stream.failure, pieces, !isLast);
    if (isLast) return this.#finish(pieces);
    return joinBytes(pieces);
  }

  /** The provider has sent everything. */
  async #finish(pieces: (Uint8Array | string)[]): Promise<Uint8Array> {
    const unframed = this.#unframed.text();
    if (unframed !== null) return this.#finishUnframed(unframed, undecodable(this.admitted));
    const rest = this.#splitter.end();
    try {
      if (rest) pieces.push(this.stream.push(rest));
    } catch {
      // An incomplete frame; `stream.end` below decides whether the answer was complete without it.
    }
    const isComplete = this.stream.end();
    if (this.stream.failure) return this.#failWithProviders(this.stream.failure, pieces, false);
    if (!isComplete) return this.#failAfter(pieces, unreachable(this.admitted));
    const event = await this.admitted.settle(completed(this.admitted, this.httpStatus));
    this.admitted.tap?.settled(event);
    this.ended = true;
    void this.#releaseConnection();
    return joinBytes([...pieces, this.stream.finish()]);
  }

  /** An error of the provider's, or an answer that is not streamed: it may have been billed, so it is still metered. */
  #finishUnframed(text: string, otherwise: TollgateError): Promise<Uint8Array> {
    const { call, meter } = this.admitted;
    try {
      call.exchange.readAnswer(text, meter);
    } catch {
      // Not an answer; the meter may have read an error in it.
    }
    const error = meter.failure?.() ?? null;
    return error === null ? this.#fail(otherwise) : this.#failWithProviders(error, [], false);
  }

  /** The connection broke, but an object may have arrived as a whole. */
  #broken(): Promise<Uint8Array> {
    const unframed = this.#unframed.text();
    const error = unreachable(this.admitted);
    return unframed === null ? this.#fail(error) : this.#finishUnframed(unframed, error);
  }

  async #fail(error: TollgateError): Promise<Uint8Array> {
    await this.#settleFailure(
      { kind: "ours", error },
      brokenOffResult(this.admitted, this.httpStatus, error),
    );
    return joinBytes([
      this.stream.fail({ status: error.status, type: error.code, code: error.code, message: error.message }),
    ]);
  }

  async #failAfter(pieces: (Uint8Array | string)[], error: TollgateError): Promise<Uint8Array> {
    return joinBytes([...pieces, await this.#fail(error)]);
  }

  async #failWithProviders(
    error: CanonicalError,
    pieces: (Uint8Array | string)[],
    mayStateUsage: boolean,
  ): Promise<Uint8Array> {
    if (mayStateUsage) await this.#awaitUsage();
    const result = failedInStream(this.admitted, this.httpStatus, error);
    await this.#settleFailure({ kind: "provider", error }, result);
    return joinBytes([...pieces, this.stream.fail(error)]);
  }

  async #settleFailure(failure: StreamFailure, result: CallResult): Promise<void> {
    this.failedWith = failure;
    this.ended = true;
    await this.admitted.settle(result);
    this.admitted.abortUpstream();
  }

  /** After an error OpenAI states the usage of the failed response in one more frame. It is not awaited for long. */
  async #awaitUsage(): Promise<void> {
    const until = performance.now() + AFTER_FAILURE_MS;
    const patience = Bun.sleep(AFTER_FAILURE_MS).then(() => ({ done: true as const, value: undefined }));
    try {
      while (performance.now() < until) {
        const { done, value } = await Promise.race([this.reader.read(), patience]);
        if (done || !value) return;
        for (const frame of this.#splitter.push(value)) {
          this.stream.push(frame);
          if (isTerminalFrame(frame)) return;
        }
      }
    } catch {
      // The failure is known; whatever follows may be garbage.
    }
  }

  /** The connection can serve the next call only once this answer was read to the end. */
  async #releaseConnection(): Promise<void> {
    const timer = setTimeout(() => this.reader.cancel().catch(() => {}), 1000);
    try {
      while (!(await this.reader.read()).done);
    } catch {
      // The call is over: later connection faults do not concern it.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads the rest of the answer, unless `sendTo` is doing so. */
  async #drain(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.ended) await this.#read();
  }
}
