import { z } from "zod";

/** Beside every sum of costs: how many calls it leaves out. */
export const unpricedCalls = z.int().meta({
  description: "Calls whose cost nobody knows: counted as calls, in no cost here (`svc prices rerate`)",
});

/** The sums of the calls of a model, a day or an agent. */
export const costSums = { call_count: z.int(), cost_microcents: z.int(), unpriced_calls: unpricedCalls };
