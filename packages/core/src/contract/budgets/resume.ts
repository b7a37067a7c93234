import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { idParams } from "../fields/object-id.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { operation } from "../operation.ts";

export const budgetsResume = operation({
  id: "budgets.resume",
  method: "POST",
  path: "/api/budgets/:id/resume",
  summary: "Enforce a paused budget again",
  params: idParams,
  body: z.strictObject({
    reset_spending: z.boolean().default(false).meta({ description: "Spending starts again at 0" }),
  }),
  output: z.strictObject({
    id: z.string(),
    status: z.enum(["active", "paused"]),
    current_spending_microcents: z.int(),
    unpriced_calls: unpricedCalls,
    resets_at: isoTime,
  }),
  status: 200,
  scope: "write",
  role: "admin",
});
