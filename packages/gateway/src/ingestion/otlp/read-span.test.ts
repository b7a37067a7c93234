import { expect, it } from "bun:test";
import { readAttributes } from "@tollgate/core/ingestion/attributes";
import { isCallerId } from "@tollgate/core/wire/caller-id";
import fc from "fast-check";
import { readSpan } from "./read-span.ts";

const NOW = Date.UTC(2026, 10, 15);

it("reads any attributes as a call, another span, or a rejected span with a reason, and never throws", () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant("chat"));
  const attributes = fc.array(fc.tuple(fc.constantFrom(...readAttributes), value), { maxLength: 12 });
  fc.assert(
    fc.property(
      attributes,
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.bigInt(0n, 2n ** 64n - 1n),
      (pairs, start, end) => {
        const span = {
          traceId: "a".repeat(32),
          spanId: "b".repeat(16),
          isRoot: true,
          scope: "s",
          startNanos: start % 2n === 0n ? 0n : start,
          endNanos: end,
          statusCode: Number(end % 3n),
          attributes: new Map([...pairs, ["gen_ai.operation.name", "chat"]]),
        };
        const read = readSpan(span, NOW);
        if (read.kind === "rejected") expect(read.error.length).toBeGreaterThan(5);
        if (read.kind !== "call") return;
        const { call } = read;
        for (const id of [call.agentKey, call.sessionId, call.customerId]) {
          if (id !== null) expect([id, isCallerId(id)]).toEqual([id, true]);
        }
        for (const count of [call.createdAtMs, call.latencyMs, call.ttftMs ?? 0, call.cost ?? 0]) {
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

const spanOf = (attributes: Readonly<Record<string, string | number>>) => ({
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  isRoot: true,
  scope: "s",
  startNanos: BigInt(NOW - 1000) * 1_000_000n,
  endNanos: BigInt(NOW) * 1_000_000n,
  statusCode: 0,
  attributes: new Map(Object.entries({ model: "m", input_tokens: 1, ...attributes })),
});

for (const [name, value, sentence] of [
  ["svc.config_version", "x".repeat(4097), "config_version must be at most 4,096 characters"],
  ["gen_ai.request.config_version", "x".repeat(4097), "config_version must be at most 4,096 characters"],
  ["model", "x".repeat(257), "a model's name must be 1 to 256 printable ASCII characters"],
  ["svc.served_model", "x".repeat(257), "a model's name must be 1 to 256 printable ASCII characters"],
  ["agent_id", "x".repeat(257), "agent_id must be 1 to 256 printable characters"],
  ["session.id", "a\nb", "session_id must be 1 to 256 printable characters"],
  ["user.id", "a\u202eb", "customer_id must be 1 to 256 printable characters"],
  ["input_tokens", 1_000_000_001, "a token count must be a number from 0 to 1,000,000,000"],
  ["cost_microcents", 100_000_000_001, "cost_microcents must be a number from 0 to 100,000,000,000"],
  ["llm.cost.total", 10_000.01, "llm.cost.total must be an amount from 0 to 10,000 dollars"],
] as const) {
  it(`rejects a span whose ${name} is ${String(value).slice(0, 12)}: ${sentence}`, () =>
    expect(readSpan(spanOf({ [name]: value }), NOW)).toEqual({ kind: "rejected", error: sentence }));
}

for (const [name, value, field, kept] of [
  ["svc.config_version", "x".repeat(4096), "configVersion", "x".repeat(4096)],
  ["cost_microcents", 100_000_000_000, "cost", 100_000_000_000],
  ["llm.cost.total", 10_000, "cost", 100_000_000_000],
  ["provider", "Groq", "provider", "groq"],
  ["provider", "OpenAI", "provider", "openai"],
  ["provider", "my own provider", "provider", "unknown"],
  ["provider", "x".repeat(65), "provider", "unknown"],
  ["agent_id", "x".repeat(256), "agentKey", "x".repeat(256)],
  ["session_id", "auth0|77 ü", "sessionId", "auth0|77 ü"],
  ["customer_id", "", "customerId", null],
  ["error_code", "x".repeat(300), "errorCode", "x".repeat(256)],
  ["response_id", "x".repeat(300), "responseId", "x".repeat(256)],
  ["svc.event_id", "x".repeat(300), "gatewayEventId", "x".repeat(256)],
  ["svc.service_tier", "x".repeat(300), "serviceTier", "x".repeat(256)],
  ["latency_ms", 1e15, "latencyMs", 1000],
] as const) {
  it(`accepts a span whose ${name} is ${String(value).slice(0, 12)} with ${field} ${String(kept).slice(0, 12)}`, () =>
    expect(readSpan(spanOf({ [name]: value }), NOW)).toMatchObject({
      kind: "call",
      call: { [field]: kept },
    }));
}

it("reads no duration without a start time, and none beyond a week", () => {
  const call = (startNanos: bigint) => readSpan({ ...spanOf({}), startNanos }, NOW);
  expect(call(0n)).toMatchObject({ call: { latencyMs: 0 } });
  expect(call(BigInt(Date.UTC(2016, 0, 1)) * 1_000_000n)).toMatchObject({ call: { latencyMs: 604_800_000 } });
});
