import type { TollgateError } from "@tollgate/core/errors";
import { JsonSkeleton } from "@tollgate/providers/json-skeleton";
import { addReturned, addServedModel, answerHeaders } from "../answer/answer-headers.ts";
import type { AdmittedCall } from "../call/admitted-call.ts";
import { brokenOffResult, completed } from "../call/call-result.ts";
import { undecodable } from "../call/undecodable.ts";
import { unreachable } from "../call/unreachable.ts";

export type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

/**
 * A whole answer that is too large for memory. It is forwarded as it arrives, at the client's pace, and metered by its
 * skeleton; the last piece is held until the event is on disk. The cost is unknown when the head is sent.
 */
export function relayLarge(
  admitted: AdmittedCall,
  upstream: Response,
  begun: readonly Uint8Array[],
  reader: BodyReader,
): Response {
  const { call } = admitted;
  admitted.watch.pause();
  admitted.tap?.drop();
  const relay = new LargeRelay(admitted, upstream.status, [...begun], reader);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await relay.next();
          if (piece !== null) controller.enqueue(piece);
          if (relay.ended) controller.close();
        } catch (fault) {
          controller.error(fault);
        }
      },
      cancel() {
        void relay.drain();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = answerHeaders(call, "application/json");
  addReturned(headers, call.provider, upstream.headers);
  addServedModel(headers, call, null);
  headers["x-gateway-latency"] = "streaming";
  return new Response(body, { headers });
}

class LargeRelay {
  ended = false;
  readonly #skeleton = new JsonSkeleton();
  #held: Uint8Array | null = null;

  constructor(
    private readonly admitted: AdmittedCall,
    private readonly httpStatus: number,
    private readonly begun: Uint8Array[],
    private readonly reader: BodyReader,
  ) {}

  /** The next piece for the client, one behind the provider; the last one only once the event is on disk. */
  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const piece = await this.#read();
      const ready = this.#held;
      this.#held = piece;
      if (piece === null) await this.#settle();
      else this.#skeleton.push(piece);
      if (ready !== null || piece === null) return ready;
    }
  }

  /** The client left. The provider still bills the whole answer, so the rest is read for its usage. */
  async drain(): Promise<void> {
    if (this.ended) return;
    this.admitted.brokenOff ??= "client_left";
    try {
      while (!this.ended) await this.next();
    } catch {
      // Already settled; no client is left to answer.
    }
  }

  async #read(): Promise<Uint8Array | null> {
    const begun = this.begun.shift();
    if (begun !== undefined) return begun;
    this.admitted.watch.listen();
    try {
      const { done, value } = await this.reader.read();
      return done || !value ? null : value;
    } catch {
      throw await this.#fail(unreachable(this.admitted));
    } finally {
      // A slow client is not a silent provider.
      this.admitted.watch.pause();
    }
  }

  async #settle(): Promise<void> {
    this.admitted.upstreamEnded();
    const text = this.#skeleton.end();
    try {
      this.admitted.meter.readAnswer(JSON.parse(text ?? ""));
    } catch {
      throw await this.#fail(undecodable(this.admitted));
    }
    await this.admitted.settle(completed(this.admitted, this.httpStatus));
    this.ended = true;
  }

  async #fail(error: TollgateError): Promise<TollgateError> {
    this.ended = true;
    await this.admitted.settle(brokenOffResult(this.admitted, this.httpStatus, error));
    this.admitted.abortUpstream();
    return error;
  }
}
