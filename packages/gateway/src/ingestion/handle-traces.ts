import { fail, TollgateError } from "@tollgate/core/errors";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import type { Microcents } from "@tollgate/core/money/money";
import { answerUnread } from "@tollgate/core/wire/request-bodies";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import { asTollgateError, errorResponse } from "../answer/error-response.ts";
import { limitHeaders } from "../answer/limit-headers.ts";
import type { Gateway } from "../gateway.ts";
import { measureBody, parseObject } from "../request/parse-body.ts";
import { admitReporter, settledHeaders } from "./admit-reporter.ts";
import type { CallRecorder } from "./call-recorder.ts";
import { decodeJson } from "./otlp/decode-json.ts";
import { decodeProtobuf } from "./otlp/decode-protobuf.ts";
import { encodeStatus, encodeTraceResponse } from "./otlp/encode-protobuf.ts";
import { readSpan } from "./otlp/read-span.ts";
import { type OtlpSpan, UndecodableError } from "./otlp/span.ts";
import { readCompressed } from "./read-compressed.ts";

export const TRACES_PATH = "/v1/traces";

const origin = { source: "otlp", endpoint: TRACES_PATH } as const;
const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
/** Reasons listed in a partial success; further ones are only counted. */
const MAX_REASONS = 5;
/** About five milliseconds of work. */
const SPANS_PER_TURN = 500;

/** OTLP/HTTP `POST /v1/traces`: the span of a call becomes its event, every other span is accepted and ignored. */
export async function handleTraces(
  request: Request,
  gateway: Gateway,
  recorder: CallRecorder,
): Promise<Response> {
  const startedAt = performance.now();
  const contentType = mediaType(request.headers);
  try {
    const caller = admitReporter(request.headers, gateway);
    const encoded = encodedAs(contentType, await readCompressed(request, caller.orgId, gateway));
    const { refusals, cost } = await gateway.bodyRoom.hold(caller.orgId, encoded.memoryBytes, () =>
      recordSpans(encoded.decode(), caller, gateway.now(), recorder),
    );
    const headers = {
      ...limitHeaders(request.headers, gateway),
      ...settledHeaders(startedAt, cost),
      "content-type": contentType === PROTOBUF ? PROTOBUF : JSON_TYPE,
    };
    return new Response(answer(contentType, refusals), { headers });
  } catch (fault) {
    const error = asTollgateError(asRefusal(fault), gateway);
    gateway.metrics.rejected(error.status, error.code);
    const refusal = refuse(error, contentType, gateway, limitHeaders(request.headers, gateway));
    return await answerUnread(request, refusal);
  }
}

async function recordSpans(
  spans: Iterable<OtlpSpan>,
  caller: GatewayCaller,
  nowMs: number,
  recorder: CallRecorder,
): Promise<{ refusals: Refusals; cost: Microcents | null }> {
  const { calls, refusals } = await readSpans(spans, nowMs);
  const { results, cost } = await recorder.record(calls, caller, origin);
  for (const result of results) if (typeof result === "object") refusals.add(result.error);
  return { refusals, cost };
}

/** Yields to calls in between: 10 MB may contain many spans. */
async function readSpans(
  spans: Iterable<OtlpSpan>,
  nowMs: number,
): Promise<{ calls: IngestedCall[]; refusals: Refusals }> {
  const calls: IngestedCall[] = [];
  const refusals = new Refusals();
  let turn = 0;
  for (const span of spans) {
    if (++turn % SPANS_PER_TURN === 0) await new Promise(resolve => setImmediate(resolve));
    const read = readSpan(span, nowMs);
    if (read.kind === "call") calls.push(read.call);
    else if (read.kind === "rejected") refusals.add(read.error);
  }
  return { calls, refusals };
}

/** How many spans were rejected, and the first few reasons. */
class Refusals {
  count = 0;
  readonly #sentences = new Set<string>();

  add(sentence: string): void {
    this.count++;
    if (this.#sentences.size < MAX_REASONS) this.#sentences.add(sentence);
  }

  get message(): string {
    return [...this.#sentences].join("; ");
  }
}

function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";", 1).join("").trim().toLowerCase();
}

interface EncodedSpans {
  readonly memoryBytes: number;
  decode(): Iterable<OtlpSpan>;
}

function encodedAs(contentType: string, bytes: Uint8Array): EncodedSpans {
  if (contentType === PROTOBUF) return { memoryBytes: bytes.length, decode: () => decodeProtobuf(bytes) };
  if (contentType === JSON_TYPE) {
    const body = measureBody(bytes);
    return { memoryBytes: body.memoryBytes, decode: () => decodeJson(parseObject(body)) };
  }
  throw fail("invalid_request", `Content-Type must be ${PROTOBUF} or ${JSON_TYPE}`);
}

function asRefusal(fault: unknown): unknown {
  if (!(fault instanceof UndecodableError)) return fault;
  return fail("invalid_request", `the request is not an OTLP trace export: ${fault.message}`);
}

/** Empty on full success. OTLP clients do not resend rejected spans. */
function answer(contentType: string, { count, message }: Refusals): string | Uint8Array<ArrayBuffer> {
  if (contentType === PROTOBUF) return encodeTraceResponse(count, message);
  if (count === 0) return "{}";
  return JSON.stringify({ partialSuccess: { rejectedSpans: String(count), errorMessage: message } });
}

/** OTLP requires a google.rpc.Status in the request's encoding; JSON also gets our own fields. */
function refuse(
  error: TollgateError,
  contentType: string,
  gateway: Gateway,
  headers: Readonly<Record<string, string>>,
): Response {
  const code = rpcCode(error.status);
  const told = new TollgateError(
    error.code,
    error.message,
    { ...error.fields, code, message: error.message },
    error.headers,
  );
  const inJson = errorResponse(told, gateway, headers);
  if (contentType !== PROTOBUF) return inJson;
  inJson.headers.set("content-type", PROTOBUF);
  return new Response(encodeStatus(code, error.message), { status: error.status, headers: inJson.headers });
}

const rpcCodes: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  402: 7, // PERMISSION_DENIED
  403: 7,
  413: 8, // RESOURCE_EXHAUSTED
  429: 8,
  503: 14, // UNAVAILABLE
};

function rpcCode(status: number): number {
  return rpcCodes[status] ?? 13;
}
