import type { EventStatus } from "@tollgate/core/event";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import type { Window } from "@tollgate/storage/read-model/window";
import fc from "fast-check";
import { SAMPLE_DAY } from "../rows/sample-event.ts";

/** The first of four days of traffic. */
export const START = Math.floor(SAMPLE_DAY / DAY_MS) * DAY_MS;
const statuses: readonly EventStatus[] = ["success", "error", "timeout", "cancelled", "interrupted"];

/** Four days, often exactly at the edge of an hour or a day. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 4 * DAY_MS }),
  fc
    .tuple(fc.integer({ min: 0, max: 96 }), fc.constantFrom(-1, 0, 1))
    .map(([hours, by]) => Math.max(0, hours * HOUR_MS + by)),
  fc.constantFrom(DAY_MS - 1, DAY_MS, DAY_MS + 1, 2 * DAY_MS),
);
export const someEvent = fc.record({
  org: fc.constantFrom("a", "b"),
  mode: fc.constantFrom("live" as const, "test" as const),
  created_at: moment.map(offset => START + offset),
  agent_key: fc.constantFrom("default", "writer", "it's: a/b"),
  session_id: fc.constantFrom(null, "s1", "s2"),
  customer_id: fc.constantFrom(null, "c1", "c2"),
  config_version: fc.constantFrom(null, "v1", "v2"),
  key_id: fc.constantFrom(null, "k1", "k2"),
  name: fc.constantFrom(["openai", "gpt-4o-mini"], ["azure", "gpt-4o-mini"], ["anthropic", "claude"]),
  status: fc.constantFrom(...statuses),
  latency_ms: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1_000_000 })),
  input_tokens: fc.integer({ min: 0, max: 100_000 }),
  output_tokens: fc.integer({ min: 0, max: 5000 }),
  cost: fc.integer({ min: 0, max: 1e12 }),
  /** Whether the price is known; without one the cost is zero. */
  cost_basis: fc.constantFrom("priced" as const, "estimated" as const, "unpriced" as const),
  adjustments: fc.array(fc.record({ amount: fc.integer({ min: -1000, max: 1e9 }), early: fc.boolean() }), {
    maxLength: 2,
  }),
});
export const someWindow = fc
  .tuple(moment, moment)
  .map(([a, b]): Window => ({ from: START + Math.min(a, b), to: START + Math.max(a, b) }));
