import { describe, expect, it } from "bun:test";
import {
  areTwins,
  type ComparedCall,
  contradicts,
  haveSameAnswer,
  isNamedBySpan,
  isWithinSpan,
} from "./same-call.ts";

const TRACE = "a".repeat(32);
/** As Anthropic's client makes a call outside any span. */
const ownTrace = { traceId: "c".repeat(32), isOfAnthropicClient: true };
const failed = { usage: null, isFailed: true };
const NOON = Date.UTC(2026, 10, 15, 12);

function callOf(change: Partial<ComparedCall> = {}): ComparedCall {
  return {
    startedAtMs: NOON,
    endedAtMs: NOON + 800,
    models: ["gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
    usage: { input: 60, cache_read: 40, output: 20 },
    isEstimated: false,
    isFailed: false,
    agentKey: null,
    sessionId: null,
    customerId: null,
    isOfAnthropicClient: false,
    isRoot: true,
    statesCost: false,
    responseId: "chatcmpl-1",
    traceId: null,
    spanId: null,
    ...change,
  };
}

/** `callOf()` as reported by OpenInference. */
function spanOf(change: Partial<ComparedCall> = {}): ComparedCall {
  return callOf({
    startedAtMs: NOON - 20,
    endedAtMs: NOON + 830,
    models: ["gpt-4o-mini-2024-07-18"],
    responseId: null,
    traceId: TRACE,
    spanId: "1".repeat(16),
    ...change,
  });
}

describe("isWithinSpan", () => {
  for (const [what, isSame, span, call] of [
    ["the call within its span", true, {}, {}],
    ["kinds of tokens that the span does not tell", true, { usage: { input: 100, output: 20 } }, {}],
    ["a call of the same trace", true, {}, { traceId: TRACE, spanId: "2".repeat(16) }],
    [
      "the same trace and a clock that is off by 30 s",
      true,
      { startedAtMs: NOON - 30_020, endedAtMs: NOON - 29_170 },
      { traceId: TRACE },
    ],
    ["clocks that differ a little", true, { startedAtMs: NOON + 200, endedAtMs: NOON + 1050 }, {}],
    ["a span that began with a failed attempt", true, { startedAtMs: NOON - 9000 }, {}],
    ["a stream that was read slowly", true, { endedAtMs: NOON + 9000 }, {}],
    ["two failures without tokens", true, { usage: null, isFailed: true }, { usage: null, isFailed: true }],
    [
      "an embedding",
      true,
      { models: ["e"], usage: { input: 5 } },
      { models: ["e"], usage: { input: 5 }, responseId: null },
    ],
    [
      "ids that are equal, or missing on one side",
      true,
      { agentKey: "A1", sessionId: "S1" },
      { agentKey: "A1", customerId: "C1" },
    ],
    [
      "ids that differ, in the trace of the call",
      true,
      { sessionId: "S2" },
      { sessionId: "S1", traceId: TRACE },
    ],
    [
      "ids that differ, with the same answer",
      true,
      { sessionId: "S2", responseId: "chatcmpl-1" },
      { sessionId: "S1" },
    ],
    ["a call of Anthropic's client in a trace of its own", true, {}, ownTrace],
    ["a cut call, of which the span reports no tokens", true, { usage: null }, { isEstimated: true }],
    [
      "a cut call of Anthropic's client, of which the span reports the input",
      true,
      { usage: { input: 100, output: 2 } },
      { isEstimated: true, isOfAnthropicClient: true },
    ],
    ["another trace, which has a parent", false, { isRoot: false }, ownTrace],
    ["another trace of Anthropic's client itself", false, { isOfAnthropicClient: true }, ownTrace],
    ["another session in a trace of its own", false, { sessionId: "S2" }, { ...ownTrace, sessionId: "S1" }],
    ["a failed call and a failure that states what it cost", false, { ...failed, statesCost: true }, failed],
    ["a cut call and a span with tokens", false, {}, { isEstimated: true }],
    [
      "a cut call and a span that states what it cost",
      false,
      { usage: null, statesCost: true },
      { isEstimated: true },
    ],
    [
      "a cut call and a later span of its trace without tokens",
      false,
      { usage: null, startedAtMs: NOON + 5000, endedAtMs: NOON + 8000 },
      { isEstimated: true, traceId: TRACE },
    ],
    [
      "a cut call of Anthropic's client and its direct retry in the same trace",
      false,
      { usage: { input: 100, output: 15 }, startedAtMs: NOON + 5000, endedAtMs: NOON + 8000 },
      { isEstimated: true, isOfAnthropicClient: true, traceId: TRACE },
    ],
    [
      "a cut call of Anthropic's client and a span with more output",
      false,
      { usage: { input: 100, output: 21 } },
      { isEstimated: true, isOfAnthropicClient: true },
    ],
    ["another agent", false, { agentKey: "A2" }, { agentKey: "A1" }],
    ["another session", false, { sessionId: "S2" }, { sessionId: "S1" }],
    ["another customer", false, { customerId: "C2" }, { customerId: "C1" }],
    ["another model", false, { models: ["gpt-4o"] }, {}],
    ["one token more", false, { usage: { input: 101, output: 20 } }, {}],
    ["another part from the cache", false, { usage: { input: 70, cache_read: 30, output: 20 } }, {}],
    ["another answer", false, { responseId: "chatcmpl-2" }, {}],
    ["another trace", false, {}, { traceId: "b".repeat(32) }],
    ["a span that ended before the call", false, { endedAtMs: NOON + 500 }, {}],
    ["a span that began after the call", false, { startedAtMs: NOON + 300 }, {}],
    ["a span far longer at both ends", false, { startedAtMs: NOON - 1500, endedAtMs: NOON + 2500 }, {}],
    ["a span without tokens", false, { usage: null }, {}],
    ["a failure and a success without tokens", false, { usage: null, isFailed: true }, { usage: null }],
  ] as const) {
    it(`ING-011 ${isSame ? "links" : "does not link"} ${what}`, () =>
      expect(isWithinSpan(spanOf(span), callOf(call))).toBe(isSame));
  }
});

describe("areTwins", () => {
  const named = { agentKey: "A1", sessionId: "S1", customerId: "C1" };
  const twin = (change: Partial<ComparedCall> = {}) =>
    spanOf({
      responseId: "msg_1",
      startedAtMs: NOON - 22,
      endedAtMs: NOON + 832,
      traceId: "b".repeat(32),
      ...change,
    });
  for (const [what, isSame, change] of [
    ["the same answer a few milliseconds apart", true, {}],
    ["the same trace where one tells no answer", true, { responseId: null, traceId: TRACE }],
    ["another answer in the same trace", false, { responseId: "msg_2", traceId: TRACE }],
    ["neither the same answer nor the same trace", false, { responseId: null }],
    ["Anthropic's client in a trace of its own", true, { responseId: null, isOfAnthropicClient: true }],
    [
      "Anthropic's client in a trace of its own, 200 ms later",
      false,
      { responseId: null, isOfAnthropicClient: true, startedAtMs: NOON + 180 },
    ],
    [
      "Anthropic's client within a span of another trace",
      false,
      { responseId: null, isOfAnthropicClient: true, isRoot: false },
    ],
    [
      "the same answer of Anthropic's client with a first frame more",
      true,
      { isOfAnthropicClient: true, usage: { input: 100, output: 23 } },
    ],
    [
      "the same answer of Anthropic's client with far more output",
      false,
      { isOfAnthropicClient: true, usage: { input: 100, output: 90 } },
    ],
    ["the same answer an hour later", false, { startedAtMs: NOON + 3_600_000, endedAtMs: NOON + 3_600_800 }],
    ["the same answer with other tokens", false, { usage: { input: 1, output: 1 } }],
    ["no tokens", false, { usage: null }],
    ["another model", false, { models: ["gpt-4o"] }],
    ["the same answer of another agent", true, { agentKey: "A2" }],
    ["another agent in the same trace", false, { responseId: null, traceId: TRACE, agentKey: "A2" }],
    ["another session in the same trace", false, { responseId: null, traceId: TRACE, sessionId: "S2" }],
    ["another customer in the same trace", false, { responseId: null, traceId: TRACE, customerId: "C2" }],
  ] as const) {
    it(`ING-011 ${isSame ? "links" : "does not link"} ${what}`, () => {
      const span = spanOf({ responseId: "msg_1", ...named });
      expect(areTwins(span, twin(change))).toBe(isSame);
      expect(areTwins(twin(change), span)).toBe(isSame);
    });
  }
});

it("ING-011 links two failures in one trace, of which neither has tokens", () => {
  expect(areTwins(spanOf(failed), spanOf(failed))).toBe(true);
  expect(areTwins(spanOf(failed), spanOf({ usage: null }))).toBe(false);
});

describe("contradicts", () => {
  for (const [what, isOther, span, call] of [
    ["the same model and tokens", false, {}, {}],
    ["a span without tokens", false, { usage: null }, {}],
    ["a span that tells no output", false, { usage: { input: 100 } }, {}],
    ["an emitter that leaves out what the cache read", false, { usage: { input: 60, output: 20 } }, {}],
    [
      "an emitter that leaves out reasoning",
      false,
      {},
      { usage: { input: 100, output: 20, reasoning: 300 } },
    ],
    ["tokens that the gateway estimated", false, {}, { usage: { input: 7, output: 9 }, isEstimated: true }],
    ["two failures", false, failed, failed],
    ["a client that failed on a good answer", false, failed, {}],
    ["another model", true, { models: ["gpt-4o"] }, {}],
    ["more input", true, { usage: { input: 101, output: 20 } }, {}],
    ["more output", true, { usage: { input: 100, output: 21 } }, {}],
    ["a success where the call failed without cost", true, {}, failed],
    ["a success without tokens where the call failed", true, { usage: null }, failed],
    ["a failure with tokens where the call used none", true, { isFailed: true }, failed],
  ] as const) {
    it(`ING-011 ${isOther ? "distinguishes" : "allows"} ${what}`, () =>
      expect(contradicts(spanOf(span), callOf(call))).toBe(isOther));
  }
});

describe("haveSameAnswer", () => {
  for (const [what, isSame, reported] of [
    ["the same answer", true, {}],
    ["the same answer some hours later", true, { startedAtMs: NOON + 20 * 3_600_000 }],
    ["the same id on another day", false, { startedAtMs: NOON + 25 * 3_600_000 }],
    ["the same id of another model", false, { models: ["gpt-4o"] }],
    ["the same id with other tokens", false, { usage: { input: 5000, output: 20 } }],
    ["the same id with other tokens", false, { usage: { input: 100, output: 23 } }],
    ["another id", false, { responseId: "chatcmpl-2" }],
    ["no id", false, { responseId: null }],
  ] as const) {
    it(`ING-011 ${isSame ? "links" : "does not link"} ${what}`, () =>
      expect(haveSameAnswer(spanOf({ responseId: "chatcmpl-1", ...reported }), callOf())).toBe(isSame));
  }
});

it("ING-011 links an answer of Anthropic's client with the first frame counted twice, at its time only", () => {
  const call = callOf({ isOfAnthropicClient: true });
  const reported = spanOf({ responseId: "chatcmpl-1", usage: { input: 100, output: 23 } });
  expect(haveSameAnswer(reported, call)).toBe(true);
  expect(haveSameAnswer({ ...reported, startedAtMs: NOON - 9000, endedAtMs: NOON - 8200 }, call)).toBe(false);
  expect(haveSameAnswer({ ...reported, usage: { input: 99, output: 23 } }, call)).toBe(false);
});

it("ING-011 recognizes the span that a call named, at any time, unless it reports another call", () => {
  const call = callOf({ traceId: TRACE, spanId: "1".repeat(16) });
  expect(isNamedBySpan(spanOf({ usage: null, startedAtMs: 0, endedAtMs: 1 }), call)).toBe(true);
  expect(isNamedBySpan(spanOf({ spanId: "2".repeat(16) }), call)).toBe(false);
  expect(isNamedBySpan(spanOf(), callOf())).toBe(false);
  expect(isNamedBySpan(spanOf({ responseId: "chatcmpl-2" }), call)).toBe(false);
  expect(isNamedBySpan(spanOf({ models: ["o3"] }), call)).toBe(false);
  expect(isNamedBySpan(spanOf(), { ...call, ...failed })).toBe(false);
});
