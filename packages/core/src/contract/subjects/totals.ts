import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";

/** What the events of one session, customer or config version add up to. */
export const subjectTotals = {
  call_count: z.int(),
  error_count: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_microcents: z.int(),
  unpriced_calls: unpricedCalls,
  first_call_at: isoTime,
  last_call_at: isoTime,
};
