import { z } from "zod";
import { tierNames } from "../limits/tiers.ts";
import { isoTime } from "./fields/iso-time.ts";
import { declareOperations } from "./operation.ts";

const limit = z.number().int().nullable().meta({ description: "null: unlimited" });

const organizationResource = z
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

export const organizationOperations = declareOperations({
  "organization.get": {
    method: "GET",
    path: "/api/organization",
    summary: "The organization, its tier and what that includes",
    output: organizationResource,
    status: 200,
    scope: "read",
    role: "viewer",
  },
  "organization.update": {
    method: "PATCH",
    path: "/api/organization",
    summary: "Rename the organization",
    body: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, "must not contain control characters"),
    }),
    output: organizationResource,
    status: 200,
    scope: "write",
    role: "owner",
  },
});
