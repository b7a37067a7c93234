import { z } from "zod";
import { budgetFields } from "./budget-fields.ts";
import { isoTime } from "./iso-time.ts";

export const budgetResource = z
  .strictObject({
    id: z.string(),
    ...budgetFields,
    agent_id: z.string().optional().meta({ description: "Absent: the whole organization" }),
    organization_id: z.string(),
    current_spending_microcents: z.int(),
    resets_at: isoTime,
    created_at: isoTime,
    status: z.enum(["active", "paused"]),
  })
  .meta({ id: "Budget" });
