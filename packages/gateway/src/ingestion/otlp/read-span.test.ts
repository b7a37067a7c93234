import { expect, it } from "bun:test";
import { readAttributes } from "@tollgate/core/ingestion-attributes";
import { idPattern } from "@tollgate/core/ingestion-call";
import fc from "fast-check";
import { readSpan } from "./read-span.ts";

const NOW = Date.UTC(2026, 10, 15);

it("reads any attributes as a call, as none, or as a rejected span with a sentence, and never throws", () => {
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
          startNanos: start % 2n === 0n ? 0n : start,
          endNanos: end,
          statusCode: Number(end % 3n),
          attributes: new Map([...pairs, ["gen_ai.operation.name", "chat"]]),
        };
        const read = readSpan(span, NOW);
        if (read.kind === "rejected") expect(read.error.length).toBeGreaterThan(5);
        if (read.kind !== "call") return;
        const { call } = read;
        expect(call.agentKey).toMatch(idPattern);
        if (call.sessionId !== null) expect(call.sessionId).toMatch(idPattern);
        for (const count of [call.createdAt, call.latencyMs, call.ttftMs ?? 0, call.cost ?? 0]) {
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
