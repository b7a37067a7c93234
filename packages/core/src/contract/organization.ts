import { z } from "zod";
import { tierNames } from "../limits/tiers.ts";
import { isoTime } from "./fields/iso-time.ts";
import { redirectOrigin } from "./fields/redirect-url.ts";
import { declareOperations, readAccess } from "./operation.ts";

const limit = z.number().int().nullable().meta({ description: "null: unlimited" });

const usedOf = (description: string) =>
  z.strictObject({
    limit,
    used: z
      .int()
      .nullable()
      .meta({ description: `${description}; null: not known` }),
  });

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
        .meta({ description: "Makes the headline, the decision queue and actuations readable" }),
    }),
    redirect_origins: z
      .array(z.string())
      .meta({ description: "Origins that a checkout may redirect to, besides our own pages" }),
    created_at: isoTime,
  })
  .meta({ id: "Organization" });

export const organizationOperations = declareOperations({
  "organization.get": {
    method: "GET",
    path: "/api/organization",
    summary: "The organization, its tier and the tier's limits",
    output: organizationResource,
    ...readAccess,
  },
  "organization.usage": {
    method: "GET",
    path: "/api/organization/usage",
    summary: "How much of each limit of the tier is used",
    output: z.strictObject({
      tier: z.enum(tierNames),
      agents: usedOf("Agents of this mode that are not archived"),
      monthly_calls: usedOf(
        "Live calls of this UTC month; null in test mode, whose calls do not count",
      ).extend({
        resets_at: isoTime,
      }),
      burst_per_minute: usedOf("Not known: only the gateways, or their Redis, count calls per minute"),
      history_days: usedOf("Days since the first call of this mode; older calls are not shown"),
      budgets: usedOf("Budgets of this mode"),
    }),
    ...readAccess,
  },
  "organization.update": {
    method: "PATCH",
    path: "/api/organization",
    summary: "Change the name, features, or the origins that checkouts may redirect to",
    body: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, "must not contain control characters")
        .optional(),
      flags: z.strictObject({ optimization_model_v3: z.boolean().optional() }).optional(),
      redirect_origins: z.array(redirectOrigin).max(20).optional().meta({
        description: "Replaces all of them; for example https://app.example.org, or http on loopback",
      }),
    }),
    output: organizationResource,
    scope: "write",
    role: "owner",
    isOrganizationWide: true,
  },
});
