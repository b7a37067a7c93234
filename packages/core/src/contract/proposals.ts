import { z } from "zod";
import {
  actionClasses,
  blockedReasons,
  decisionClasses,
  levers,
  proposalActions,
  proposalScopes,
  proposalSources,
  proposalStatuses,
  reversibilities,
  risks,
} from "../decisions/vocabulary.ts";
import { envelope } from "./fields/envelope.ts";
import { isoTime } from "./fields/iso-time.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess } from "./operation.ts";

export const proposalResource = z
  .strictObject({
    id: z.string(),
    agent_id: z.string().nullable().meta({ description: "Null: the whole organization" }),
    source: z.enum(proposalSources),
    action_type: z.enum(proposalActions),
    action_class: z.enum(actionClasses),
    d_class: z.enum(decisionClasses).meta({
      description:
        "D0: advice; D1: reversible and harmless to answers; D2: reversible, but answers may change; D3: stops work, always a person's decision",
    }),
    status: z.enum(proposalStatuses),
    blocked_reason: z.enum(blockedReasons).nullable().meta({ description: "Only for a blocked proposal" }),
    estimated_impact: z.strictObject({
      monthly_microcents: envelope.meta({ description: "Savings; with an interval if a verdict backs it" }),
    }),
    axes: z.strictObject({
      lever: z.enum(levers),
      scope: z.enum(proposalScopes),
      risk: z.enum(risks),
      reversibility: z.enum(reversibilities),
    }),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: "Proposal", description: "A change that would help, without the configuration itself" });

export const proposalOperations = declareOperations({
  "loop_views.proposals": {
    method: "GET",
    path: "/api/loop-views/proposals",
    summary: "Changes that suggestions, leak checks and verdicts propose, newest first",
    query: z.strictObject({ limit: pageLimit(500, 200) }),
    output: z.strictObject({ total: envelope, proposals: z.array(proposalResource) }),
    ...readAccess,
  },
});
