import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";

export const callAt = (at: string, cost: number, change: Partial<Event> = {}): Partial<Event> => ({
  created_at: Date.parse(at),
  cost_microcents: microcents(cost),
  ...change,
});
