import { z } from "zod";
import { unpricedCalls } from "./unpriced-calls.ts";

/** What calls add up to: of a model, a day, an agent. */
export const costSums = { call_count: z.int(), cost_microcents: z.int(), unpriced_calls: unpricedCalls };
