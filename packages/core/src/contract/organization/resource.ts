import { z } from "zod";
import { tierNames } from "../../limits/tiers.ts";
import { isoTime } from "../fields/iso-time.ts";

const limit = z.number().int().nullable().meta({ description: "null: unlimited" });

export const organizationResource = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    tier: z.enum(tierNames),
    status: z.enum(["active", "inactive", "suspended"]),
    limits: z.strictObject({
      agents: limit,
      monthly_calls: limit,
      burst_per_minute: limit,
      history_days: limit,
      budgets: limit,
    }),
    created_at: isoTime,
  })
  .meta({ id: "Organization" });
