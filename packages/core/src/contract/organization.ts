import { z } from "zod";
import { tierNames } from "../limits/tiers.ts";
import { isoTime } from "./fields/iso-time.ts";
import { declareOperations } from "./operation.ts";

const limit = z.number().int().nullable().meta({ description: "null: unlimited" });

/** Features that an organization turns on for itself. All are off at first. */
const organizationFlags = ["optimization_model_v3"] as const;

export type OrganizationFlag = (typeof organizationFlags)[number];

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
    flags: z.strictObject({
      optimization_model_v3: z
        .boolean()
        .meta({ description: "The headline, the decision queue and actuations can be read" }),
    }),
    created_at: isoTime,
  })
  .meta({ id: "Organization" });

export const organizationOperations = declareOperations({
  "organization.get": {
    method: "GET",
    path: "/api/organization",
    summary: "The organization, its tier and the tier's limits",
    output: organizationResource,
    status: 200,
    scope: "read",
    role: "viewer",
  },
  "organization.update": {
    method: "PATCH",
    path: "/api/organization",
    summary: "Rename the organization, or turn a feature on or off",
    body: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, "must not contain control characters")
        .optional(),
      flags: z.strictObject({ optimization_model_v3: z.boolean().optional() }).optional(),
    }),
    output: organizationResource,
    status: 200,
    scope: "write",
    role: "owner",
  },
});
