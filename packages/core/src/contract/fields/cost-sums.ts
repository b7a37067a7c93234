import { z } from "zod";

/** Accompanies every sum of costs: the number of calls it leaves out. */
export const unpricedCalls = z.int().meta({
  description:
    "Calls whose cost is unknown: counted as calls, but not included in any cost here (`svc prices rerate`)",
});

/** The sums of the calls of a model, a day or an agent. */
export const costSums = { call_count: z.int(), cost_microcents: z.int(), unpriced_calls: unpricedCalls };
