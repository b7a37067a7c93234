import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { inputTokens, outputTokens } from "../money/usage.ts";
import { parseIngestedEvent } from "./event.ts";

const NOW = Date.UTC(2026, 10, 15);

describe("parseIngestedEvent", () => {
  it("returns a call or an error message for any JSON value, and never throws", () => {
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
        else expect(Number.isSafeInteger(parsed.call.createdAtMs)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [field, value, sentence] of [
    ["id", "x".repeat(257), "must be 1 to 256 characters"],
    ["model", "x".repeat(257), "must be 1 to 256 printable ASCII characters"],
    ["served_model", "x".repeat(257), "must be 1 to 256 printable ASCII characters"],
    ["service_tier", "x".repeat(257), "must be 1 to 256 printable ASCII characters"],
    ["response_id", "x".repeat(257), "must be 1 to 256 printable ASCII characters"],
    ["error_code", "x".repeat(257), "must be 1 to 256 printable ASCII characters"],
    ["agent_key", "x".repeat(257), "must be 1 to 256 printable characters"],
    ["agent_id", "x".repeat(257), "must be 1 to 256 printable characters"],
    ["session_id", "x".repeat(257), "must be 1 to 256 printable characters"],
    ["customer_id", "x".repeat(257), "must be 1 to 256 printable characters"],
    ["config_version", "x".repeat(4097), "must be at most 4,096 characters"],
    ["config_version", 1, "must be text"],
    ["provider", "x".repeat(65), "must be 1 to 64 characters of a-z 0-9 . _ -"],
    ["provider", "my provider", "must be 1 to 64 characters of a-z 0-9 . _ -"],
    ["provider", "", "must be 1 to 64 characters of a-z 0-9 . _ -"],
    ["input_tokens", 1_000_000_001, "must be at most 1,000,000,000"],
    ["output_tokens", 2 ** 60, "must be at most 1,000,000,000"],
    ["output_tokens", 1e9 + 0.5, "must be at most 1,000,000,000"],
    ["reasoning_tokens", 0.5, "must be a whole number"],
    ["cache_read_tokens", Number.POSITIVE_INFINITY, "must be a whole number from 0 to 1,000,000,000"],
    ["cost_microcents", 100_000_000_001, "must be at most 100,000,000,000"],
    ["cost_microcents", 1e300, "must be at most 100,000,000,000"],
    ["cost_microcents", -1, "must not be negative"],
    ["cost_microcents", "5", "must be a whole number from 0 to 100,000,000,000"],
    ["latency_ms", 604_800_001, "must be at most 604,800,000, a week"],
  ] as const) {
    it(`ING-010 rejects ${field} ${String(value).slice(0, 12)}: ${sentence}`, () => {
      expect(parseIngestedEvent({ model: "m", [field]: value }, NOW)).toEqual({
        error: `${field} ${sentence}`,
      });
    });
  }

  for (const [field, value, key, kept] of [
    ["config_version", "x".repeat(4096), "configVersion", "x".repeat(4096)],
    ["cost_microcents", 100_000_000_000, "cost", 100_000_000_000],
    ["provider", "Groq", "provider", "groq"],
    ["provider", "OpenAI", "provider", "openai"],
    ["id", `${"x".repeat(255)}\n`, "externalId", `${"x".repeat(255)}\n`],
  ] as const) {
    it(`ING-010 accepts ${field} ${JSON.stringify(value).slice(0, 14)}`, () => {
      expect(parseIngestedEvent({ model: "m", [field]: value }, NOW)).toMatchObject({
        call: { [key]: kept },
      });
    });
  }

  it("names a few of a thousand unknown fields", () => {
    const event = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, 0]));
    expect(parseIngestedEvent({ model: "m", ...event }, NOW)).toEqual({
      error: 'unknown field "f0", "f1", "f2", "f3", "f4"',
    });
  });

  it("ING-010 counts every token in exactly one kind: the totals are as sent", () => {
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
