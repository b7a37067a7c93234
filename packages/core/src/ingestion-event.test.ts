import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { parseIngestedEvent } from "./ingestion-event.ts";
import { inputTokens, outputTokens } from "./usage.ts";

const NOW = Date.UTC(2026, 10, 15);

describe("parseIngestedEvent", () => {
  it("answers any JSON value with a call or a sentence, and never throws", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          model: fc.oneof(fc.constant("gpt-4o-mini"), fc.jsonValue()),
          id: fc.jsonValue(),
          timestamp: fc.oneof(fc.jsonValue(), fc.date().map(String), fc.double()),
          input_tokens: fc.oneof(fc.nat(), fc.jsonValue()),
          cache_read_tokens: fc.oneof(fc.nat(), fc.jsonValue()),
          cost_microcents: fc.oneof(fc.nat(), fc.double()),
          config_version: fc.oneof(fc.string(), fc.jsonValue()),
          org_id: fc.jsonValue(),
        },
        { requiredKeys: ["model"] },
      ),
    );
    fc.assert(
      fc.property(value, event => {
        const parsed = parseIngestedEvent(event, NOW);
        if ("error" in parsed) expect(parsed.error.length).toBeGreaterThan(5);
        else expect(Number.isSafeInteger(parsed.call.createdAt)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("ING-010 counts every token in exactly one kind: the totals are what was sent", () => {
    const count = fc.nat(10_000_000);
    fc.assert(
      fc.property(count, count, count, count, count, (fresh, read, write, answer, reasoning) => {
        const parsed = parseIngestedEvent(
          {
            model: "m",
            input_tokens: fresh + read + write,
            cache_read_tokens: read,
            cache_write_tokens: write,
            output_tokens: answer + reasoning,
            reasoning_tokens: reasoning,
          },
          NOW,
        );
        const usage = "call" in parsed ? parsed.call.usage : null;
        expect(usage && inputTokens(usage)).toBe(fresh + read + write);
        expect(usage && outputTokens(usage)).toBe(answer + reasoning);
      }),
    );
  });
});
