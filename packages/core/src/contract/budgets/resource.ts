import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { unpricedCalls } from "../fields/unpriced-calls.ts";
import { budgetFields } from "./fields.ts";

export const budgetResource = z
  .strictObject({
    id: z.string(),
    ...budgetFields,
    agent_id: z.string().optional().meta({ description: "Absent: the whole organization" }),
    organization_id: z.string(),
    current_spending_microcents: z.int(),
    withheld_microcents: z.int().meta({
      description:
        "Kept back by a strict budget until the period ends: what providers may yet bill for calls whose cost was estimated",
    }),
    unpriced_calls: unpricedCalls,
    resets_at: isoTime,
    created_at: isoTime,
    status: z.enum(["active", "paused"]),
  })
  .meta({ id: "Budget" });
