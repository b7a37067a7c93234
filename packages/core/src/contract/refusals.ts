import { z } from "zod";
import { errorCodes } from "../errors.ts";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { callerId, objectId } from "./fields/object-id.ts";
import { nextCursor, pageLimit, sealedCursorInput } from "./fields/paging.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

const reason = z.enum(errorCodes).meta({ description: "The code of the error that the caller got" });
const callCount = z.int();

/** How many calls were refused, and why. */
export const refusedCalls = z.strictObject({
  call_count: callCount,
  by_reason: z
    .array(z.strictObject({ reason, call_count: callCount }))
    .meta({ description: "Most frequent first" }),
});

const agentFilter = { agent_id: objectId.optional(), agent_key: callerId.optional() };

/** A call that the gateway refused itself: no event, and no cost. */
const refusalResource = z
  .strictObject({
    created_at: isoTime,
    agent_id: z.string().nullable().meta({ description: "null: no call of this agent was ever admitted" }),
    agent_key: z.string().nullable().meta({ description: "null: `X-Agent-ID` was not valid" }),
    key_id: z.string(),
    reason,
    http_status: z.int(),
    limit: z.int().nullable().meta({
      description:
        "The limit that was reached: calls (`rate_limited`, `monthly_limit`) or microcents (`budget_exceeded`); null: none was",
    }),
    budget_id: z.string().nullable().meta({ description: "The budget, if one refused the call" }),
  })
  .meta({ id: "Refusal" });

export const refusalOperations = declareOperations({
  "refusals.counts": {
    method: "GET",
    path: "/api/refusals/counts",
    summary: "How many calls the gateway refused, by reason, agent, key and day",
    query: z.strictObject({ ...windowQuery, ...agentFilter }),
    output: z.strictObject({
      period: periodResource.meta({
        description: "Calls are counted by whole UTC hours, for the last 90 days",
      }),
      ...refusedCalls.shape,
      by_agent: z.array(z.strictObject({ agent_key: z.string().nullable(), call_count: callCount })).meta({
        description: "Most frequent first, at most 100; null: not named, or not counted separately",
      }),
      by_key: z
        .array(z.strictObject({ key_id: z.string().nullable(), call_count: callCount }))
        .meta({ description: "Most frequent first, at most 100; null: not counted separately" }),
      trend: z.array(z.strictObject({ date: z.string(), call_count: callCount })),
    }),
    ...readAccess,
  },
  "refusals.list": {
    method: "GET",
    path: "/api/refusals",
    summary: "Calls that the gateway refused, newest first; at most 20 of each reason and minute are listed",
    query: z.strictObject({
      ...agentFilter,
      key_id: objectId.optional(),
      budget_id: objectId.optional(),
      reason: reason.optional(),
      from: isoTimeInput.optional(),
      to: isoTimeInput.optional().meta({ description: "ISO 8601, exclusive" }),
      limit: pageLimit(500),
      cursor: sealedCursorInput.optional(),
    }),
    output: z.strictObject({ refusals: z.array(refusalResource), next_cursor: nextCursor }),
    ...readAccess,
  },
});
