import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import fc from "fast-check";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { RecentPrompts } from "./recent-prompts.ts";

const MINUTE = 60_000;

const someEvents = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 30_000, 4 * MINUTE, 20 * MINUTE, 50 * MINUTE),
      agent_key: fc.constantFrom("one", "one", "two"),
      request_hash: fc.constantFrom("a", "b", "c", "d", null),
      prefix_hash: fc.constantFrom("p", "p", "q", null),
      status: fc.constantFrom("success" as const, "success" as const, "error" as const),
      input_tokens: fc.constantFrom(0, 1000, 1100, 3000),
      hasUsedCache: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map(drafts => {
    let at = 1_800_000_000_000;
    return drafts.map(({ after, hasUsedCache, ...draft }, index) => {
      at += after;
      const event: ProfiledEvent = {
        seq: index + 1,
        org_id: "org",
        mode: "live",
        created_at: at,
        session_id: null,
        provider: "openai",
        model: "gpt-4o",
        latency_ms: 10,
        output_tokens: 1,
        cost_microcents: microcents(0),
        usage: "{}",
        ...draft,
      };
      return { event, hasUsedCache };
    });
  });

describe("the memory of prompts", () => {
  it("REL-007 gives the same result for an event whether it was fed all events or only those it can depend on", () => {
    fc.assert(
      fc.property(someEvents, fc.integer({ min: 1, max: 6 }), (events, reach) => {
        const always = new RecentPrompts(reach);
        for (const [index, { event, hasUsedCache }] of events.entries()) {
          const anew = new RecentPrompts(reach);
          for (const before of events.slice(Math.max(0, index - anew.lookback), index)) {
            anew.observe(before.event, before.hasUsedCache);
          }
          expect(anew.observe(event, hasUsedCache)).toEqual(always.observe(event, hasUsedCache));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("holds at most two hashes per event of one and a half times its reach", () => {
    const prompts = new RecentPrompts(100);
    for (let seq = 1; seq <= 5000; seq++) {
      const hashes = { request_hash: `r${seq}`, prefix_hash: `p${seq}` };
      const [sample] = fc.sample(someEvents, { numRuns: 1, seed: seq })[0] ?? [];
      if (sample === undefined) throw new Error("no sample");
      prompts.observe({ ...sample.event, ...hashes, seq, input_tokens: 2000 }, false);
      expect(prompts.size).toBeLessThanOrEqual(2 * 150);
    }
  });
});
