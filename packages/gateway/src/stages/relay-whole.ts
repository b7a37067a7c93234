import { fail, TollgateError } from "@tollgate/core/errors";
import { parseJson } from "@tollgate/core/wire/parse-json";
import { wholeBody } from "@tollgate/core/wire/whole-body";
import { SseSplitter } from "@tollgate/providers/sse";
import { addProviderError, addReturned, addSettled, answerHeaders } from "../answer/answer-headers.ts";
import type { AdmittedCall } from "../call/admitted-call.ts";
import { completed, failedInStream, rejectedByProvider } from "../call/call-result.ts";
import { meterFrames } from "../call/meter-frames.ts";
import { undecodable } from "../call/undecodable.ts";
import { unreachable } from "../call/unreachable.ts";
import { relayFailure } from "./relay-failure.ts";
import { type BodyReader, relayLarge } from "./relay-large.ts";

/** The largest whole answer held in memory. A larger one is forwarded as it arrives. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** A smaller body with a content length arrives in one piece and needs no watching in between. */
const SMALL_BYTES = 64 * 1024;

const decoder = new TextDecoder();

/** An answer that is not streamed: read completely, metered, settled, and only then returned. */
export async function relayWhole(
  admitted: AdmittedCall,
  upstream: Response,
  clientLeft: () => boolean,
): Promise<Response> {
  const { call } = admitted;
  const bytes = await readUpTo(admitted, upstream);
  if (bytes instanceof LargeAnswer) {
    if (!call.exchange.isNative || !beginsObject(bytes.begun)) throw tooLarge(admitted);
    return relayLarge(admitted, upstream, bytes.begun, bytes.rest);
  }
  // The provider did not notice that the client left: the answer was read to the end for its exact usage.
  if (clientLeft()) admitted.brokenOff ??= "client_left";
  const { status } = upstream;
  const body = decodeAnswer(admitted, bytes);
  const failure = admitted.meter.failure?.() ?? null;
  if (body instanceof TollgateError) {
    if (failure === null) throw body;
    return relayFailure(admitted, upstream, failure);
  }
  if (call.pair !== null) admitted.answer = body;
  const event = await admitted.settle(
    failure === null ? completed(admitted, status) : failedInStream(admitted, status, failure),
  );
  const headers = answerHeaders(call, "application/json");
  addReturned(headers, call.provider, upstream.headers);
  addSettled(headers, call, event);
  if (failure !== null) headers["x-gateway-error-source"] = "provider";
  if (admitted.tap !== null && event.status === "success") admitted.tap.whole(body, event);
  return new Response(call.exchange.isNative ? bytes : body, { headers });
}

/** An error of ours if it is no answer: it may still be an error of the provider's, which the meter has read. */
function decodeAnswer(admitted: AdmittedCall, bytes: Uint8Array): string | TollgateError {
  try {
    return admitted.call.exchange.readAnswer(decoder.decode(bytes), admitted.meter);
  } catch (fault) {
    meterFrames(admitted, bytes);
    if (fault instanceof TollgateError) return fault;
    return undecodable(admitted);
  }
}

/** A provider's own error: its status, in the client's dialect. */
export async function relayError(admitted: AdmittedCall, upstream: Response): Promise<Response> {
  const { call } = admitted;
  const bytes = await readAnswer(admitted, upstream);
  const parsed = parseJson(decoder.decode(bytes));
  const error = call.provider.decodeError(upstream.status, parsed ?? parseFrame(bytes));
  const { violations } = call.provider;
  const billed = violations?.isViolation(error) ? violations.billOf(call.exchange.upstream.path) : null;
  const event = await admitted.settle(rejectedByProvider(upstream.status, error, billed));
  const headers = answerHeaders(call, "application/json");
  addProviderError(headers, call.provider, upstream.headers, error);
  addSettled(headers, call, event);
  const speaksClientsDialect = call.exchange.isNative && hasErrorObject(parsed);
  return new Response(speaksClientsDialect ? bytes : call.endpoint.dialect.encodeError(error), {
    status: upstream.status,
    headers,
  });
}

/** The format of every dialect. xAI has a string there instead, where clients look for `error.message`. */
function hasErrorObject(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "object";
}

/** Larger than the limit for memory. */
class LargeAnswer {
  constructor(
    readonly begun: readonly Uint8Array[],
    readonly rest: BodyReader,
  ) {}
}

type Answer = Uint8Array<ArrayBuffer> | LargeAnswer;

/** Throws our own 502 or 504 if the body is cut off, falls silent or does not end. */
export async function readAnswer(
  admitted: AdmittedCall,
  upstream: Response,
): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await readUpTo(admitted, upstream);
  if (answer instanceof LargeAnswer) throw tooLarge(admitted);
  return answer;
}

/** The whole body, or the part of it that fits in memory. */
function readUpTo(admitted: AdmittedCall, upstream: Response): Promise<Answer> {
  const reading: Promise<Answer> = isSmall(upstream.headers)
    ? wholeBody(upstream)
    : readBounded(admitted, upstream);
  return reading.then(
    answer => {
      if (!(answer instanceof LargeAnswer)) admitted.upstreamEnded();
      return answer;
    },
    () => {
      throw unreachable(admitted);
    },
  );
}

function tooLarge(admitted: AdmittedCall): TollgateError {
  return fail("provider_invalid_answer", `the answer of ${admitted.call.provider.id} is too large`);
}

/** A large body that does not start with an object is not an answer. */
function beginsObject(pieces: readonly Uint8Array[]): boolean {
  return /^\s*\{/.test(decoder.decode(pieces[0]?.subarray(0, 256)));
}

function isSmall(headers: Headers): boolean {
  const length = headers.get("content-length");
  // If an answer has both, chunked encoding wins.
  if (headers.has("transfer-encoding")) return false;
  return length !== null && Number(length) <= SMALL_BYTES && !headers.has("content-encoding");
}

async function readBounded(admitted: AdmittedCall, upstream: Response): Promise<Answer> {
  if (!upstream.body) return new Uint8Array(0);
  const reader = upstream.body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !value) return new Uint8Array(Buffer.concat(pieces, size));
      admitted.watch.listen();
      pieces.push(value);
      size += value.length;
      if (size > MAX_ANSWER_BYTES) return new LargeAnswer(pieces, reader);
    }
  } catch (fault) {
    // What arrived before the connection broke may be the whole answer, and says what is billed.
    if (upstream.ok) decodeAnswer(admitted, Buffer.concat(pieces, size));
    throw fault;
  }
}

/** Some errors of streamed calls are framed like the stream. */
function parseFrame(bytes: Uint8Array): unknown {
  const splitter = new SseSplitter();
  const frame = [...splitter.push(bytes), splitter.end()].find(each => each !== null && each.data !== null);
  return parseJson(frame?.data ?? "");
}
