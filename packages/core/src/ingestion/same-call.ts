import { inputTokens, outputTokens, type Usage, type UsageKind } from "../money/usage.ts";
import { DAY_MS } from "../time/durations.ts";

/**
 * Whether a telemetry span reports a call that already has its event. A false positive loses a call and its cost, a
 * false negative counts one twice: in doubt the answer is no (docs/decisions/0020-one-call-one-event.md).
 */
export interface ComparedCall extends CallFacts {
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** null: not named, or the default agent, which every call without a name has. */
  readonly agentKey: string | null;
  readonly sessionId: string | null;
  readonly customerId: string | null;
  /** Made or reported by Anthropic's client, which reports its calls in addition to its instrumentation. */
  readonly isOfAnthropicClient: boolean;
  /** A span without a parent, or a gateway call, whose span may have none. */
  readonly isRoot: boolean;
  /** A report that states what the call cost. */
  readonly statesCost: boolean;
}

/** Facts that rule out a match even if an id agrees. */
export interface CallFacts {
  /** As requested, sent and served, whichever are known. */
  readonly models: readonly string[];
  /** null: no token count is known. */
  readonly usage: Usage | null;
  /** The provider reported no usage, so the client may have other counts. */
  readonly isEstimated: boolean;
  readonly isFailed: boolean;
  readonly responseId: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** Clock skew between two machines synchronized by NTP. */
export const CLOCK_SKEW_MS = 250;
/** What a client does before or after the call itself: connecting, queueing, decoding. */
const CLIENT_WORK_MS = 100;
/** Time between two instrumentations of one client. */
export const TWIN_WORK_MS = 1000;
/** If several calls fit a span, clocks must agree this closely. */
const TIGHT_SKEW_MS = 10;
/** Within one trace, clocks may differ more: the trace itself distinguishes its calls. */
const TRACE_SKEW_MS = 60_000;
/** Anthropic's first frame counts fewer tokens of output than this. */
const FIRST_FRAME_TOKENS = 32;
/** Small servers number their answers, and restart the numbering when they start. */
const SAME_ANSWER_MS = DAY_MS;

/**
 * The client named this very span when it made the call, and nothing contradicts it: within one span, a client may call
 * the provider directly after its call through the gateway failed.
 */
export function isNamedBySpan(span: CallFacts, call: CallFacts): boolean {
  if (!isSameTrace(span, call) || call.spanId !== span.spanId) return false;
  return !areDifferentAnswers(span, call) && !contradicts(span, call);
}

/** Whether both have the same answer. Its id alone proves nothing: small servers reuse the same few ids. */
export function haveSameAnswer(reported: ComparedCall, call: ComparedCall): boolean {
  if (!isSameAnswer(reported, call)) return false;
  if (isAtItsTime(reported, call) && haveMiscountedOutput(reported, call)) return true;
  if (contradicts(reported, call)) return false;
  return Math.abs(reported.startedAtMs - call.startedAtMs) <= SAME_ANSWER_MS;
}

/**
 * Whether two reports of a call of Anthropic's client differ only in what the stream's first frame counts as output:
 * OpenLLMetry adds it to the final count, which includes it.
 */
function haveMiscountedOutput(a: ComparedCall, b: ComparedCall): boolean {
  if (!(a.isOfAnthropicClient || b.isOfAnthropicClient) || !haveModelInCommon(a, b)) return false;
  if (a.usage === null || b.usage === null || inputTokens(a.usage) !== inputTokens(b.usage)) return false;
  return Math.abs(outputTokens(a.usage) - outputTokens(b.usage)) <= FIRST_FRAME_TOKENS;
}

/**
 * Whether a report cannot be this gateway call, even with common ids: another model, other tokens, or a success where
 * the call failed before it used any.
 */
export function contradicts(reported: CallFacts, call: CallFacts): boolean {
  if (!haveModelInCommon(reported, call)) return true;
  if (call.isFailed && call.usage === null) return !reported.isFailed || reported.usage !== null;
  if (reported.usage === null || call.usage === null || call.isEstimated) return false;
  return (
    areDifferentCounts(
      inputTokens(reported.usage),
      inputTokens(call.usage),
      countOf(call.usage, cacheKinds),
    ) ||
    areDifferentCounts(
      outputTokens(reported.usage),
      outputTokens(call.usage),
      countOf(call.usage, ["reasoning"]),
    )
  );
}

/** Emitters may omit the part of a count that its provider reports separately. A count of 0 counts as absent. */
function areDifferentCounts(reported: number, known: number, part: number): boolean {
  return reported > 0 && known > 0 && reported !== known && reported !== known - part;
}

/**
 * Whether the span may report this gateway call: same model and tokens, and the call is within the span. An event
 * accepts one such span per instrumentation, so N equal concurrent calls with N spans are N events.
 */
export function isWithinSpan(span: ComparedCall, call: ComparedCall): boolean {
  if (areDifferentAnswers(span, call) || !haveModelInCommon(span, call)) return false;
  if (isSameTrace(span, call)) {
    // Without equal tokens, the time has to distinguish the calls of a trace.
    if (!(call.isEstimated ? isAtItsTime(span, call) : contains(span, call, TRACE_SKEW_MS))) return false;
  } else {
    if (call.traceId !== null && !haveOwnTraces(span, call)) return false;
    if (!isAtItsTime(span, call)) return false;
    if (!isSameAnswer(span, call) && haveDifferentIds(span, call)) return false;
  }
  return call.isEstimated ? mayBeCutOff(span, call) : haveEqualTokens(span, call);
}

/**
 * Whether the span may report a call that was cut off, and whose tokens the gateway estimated: it has none, or
 * Anthropic's counts up to then.
 */
function mayBeCutOff(span: ComparedCall, call: ComparedCall): boolean {
  if (span.usage === null || call.usage === null) return span.usage === null && !span.statesCost;
  if (!call.isOfAnthropicClient || inputTokens(span.usage) !== inputTokens(call.usage)) return false;
  return outputTokens(span.usage) <= outputTokens(call.usage);
}

/**
 * Anthropic's client begins a trace for a call outside any span, and an instrumentation that does not make its span the
 * current one begins another. The client's own span is named by the call, so it is never one of another trace.
 */
function haveOwnTraces(a: ComparedCall, b: ComparedCall): boolean {
  return a.isRoot && b.isRoot && a.isOfAnthropicClient !== b.isOfAnthropicClient;
}

function isAtItsTime(span: ComparedCall, call: ComparedCall): boolean {
  if (!contains(span, call, CLOCK_SKEW_MS)) return false;
  const leadMs = call.startedAtMs - span.startedAtMs;
  const trailMs = span.endedAtMs - call.endedAtMs;
  // A retry makes a span start long before the call, a slow reader of a stream makes it end long after, but not both.
  // Clock skew shortens one end by as much as it extends the other.
  return isTight(leadMs) || isTight(trailMs) || isTight(leadMs + trailMs);
}

/**
 * Whether two spans of different instrumentations report one call: at the same time, with the same answer, or in the
 * same trace without a contradicting id, or each in a trace of its own.
 */
export function areTwins(a: ComparedCall, b: ComparedCall): boolean {
  if (areDifferentAnswers(a, b) || !haveModelInCommon(a, b)) return false;
  const isKnownTwin = isSameAnswer(a, b) || isSameTrace(a, b);
  if (!isKnownTwin && !haveOwnTraces(a, b)) return false;
  if (!areNear(a, b, isKnownTwin ? TWIN_WORK_MS : CLIENT_WORK_MS)) return false;
  if (!isSameAnswer(a, b) && haveDifferentIds(a, b)) return false;
  return haveEqualTokens(a, b) || (isSameAnswer(a, b) && haveMiscountedOutput(a, b));
}

function areNear(a: ComparedCall, b: ComparedCall, apartMs: number): boolean {
  return Math.abs(a.startedAtMs - b.startedAtMs) <= apartMs && Math.abs(a.endedAtMs - b.endedAtMs) <= apartMs;
}

/** Whether the span fits the call closely enough to be linked, even if other calls fit it too. */
export function isTightFit(span: ComparedCall, call: ComparedCall): boolean {
  if (isSameTrace(span, call)) return true;
  return isTight(call.startedAtMs - span.startedAtMs) && isTight(span.endedAtMs - call.endedAtMs);
}

function isTight(workMs: number): boolean {
  return workMs >= -TIGHT_SKEW_MS && workMs <= CLIENT_WORK_MS;
}

/** Distance in time: of several candidates, the nearest wins. */
export function distanceMs(a: ComparedCall, b: ComparedCall): number {
  return Math.abs(a.startedAtMs - b.startedAtMs) + Math.abs(a.endedAtMs - b.endedAtMs);
}

function isSameAnswer(a: CallFacts, b: CallFacts): boolean {
  return a.responseId !== null && a.responseId === b.responseId;
}

function isSameTrace(a: CallFacts, b: CallFacts): boolean {
  return a.traceId !== null && a.traceId === b.traceId;
}

/** Equal ids prove nothing, because many calls share them; an id that is missing on one side proves nothing either. */
function haveDifferentIds(a: ComparedCall, b: ComparedCall): boolean {
  return (
    areDifferent(a.agentKey, b.agentKey) ||
    areDifferent(a.sessionId, b.sessionId) ||
    areDifferent(a.customerId, b.customerId)
  );
}

function areDifferent(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function areDifferentAnswers(a: CallFacts, b: CallFacts): boolean {
  return areDifferent(a.responseId, b.responseId);
}

function haveModelInCommon(a: CallFacts, b: CallFacts): boolean {
  return a.models.some(model => b.models.includes(model));
}

function contains(outer: ComparedCall, inner: ComparedCall, skewMs: number): boolean {
  return outer.startedAtMs <= inner.startedAtMs + skewMs && outer.endedAtMs >= inner.endedAtMs - skewMs;
}

const cacheReadKinds: readonly UsageKind[] = ["cache_read", "cache_read_audio", "cache_read_image"];
const cacheWriteKinds: readonly UsageKind[] = ["cache_write", "cache_write_1h"];
const cacheKinds = [...cacheReadKinds, ...cacheWriteKinds];

/** Kinds that emitters omit or combine. */
const details: readonly (readonly UsageKind[])[] = [
  cacheReadKinds,
  cacheWriteKinds,
  ["reasoning"],
  ["input_audio"],
  ["output_audio"],
];

/** Without tokens on either side only two failures are alike, and only if neither has cost anything. */
function haveEqualTokens(one: ComparedCall, other: ComparedCall): boolean {
  const { usage: a } = one;
  const { usage: b } = other;
  if (a === null || b === null) {
    return a === b && one.isFailed && other.isFailed && !one.statesCost && !other.statesCost;
  }
  if (inputTokens(a) !== inputTokens(b) || outputTokens(a) !== outputTokens(b)) return false;
  return details.every(kinds => {
    const reported = countOf(a, kinds);
    const known = countOf(b, kinds);
    return reported === 0 || known === 0 || reported === known;
  });
}

function countOf(usage: Usage, kinds: readonly UsageKind[]): number {
  let count = 0;
  for (const kind of kinds) count += usage[kind] ?? 0;
  return count;
}
