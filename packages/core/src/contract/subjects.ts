import { z } from "zod";
import { costSums, unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { callerId, callerIdParams, objectId } from "./fields/object-id.ts";
import { nextCursor, pageLimit, sealedCursorInput } from "./fields/paging.ts";
import { periodResource, windowQuery } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

/** What the events of one session, customer or config version add up to. */
const subjectTotals = {
  call_count: z.int(),
  error_count: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_microcents: z.int(),
  unpriced_calls: unpricedCalls,
  first_call_at: isoTime,
  last_call_at: isoTime,
};

/** Those that were active within the window, latest activity first. */
const subjectPageQuery = z.strictObject({
  ...windowQuery,
  limit: pageLimit(500),
  cursor: sealedCursorInput.optional(),
});

const sessionPageQuery = subjectPageQuery.extend({
  customer_id: callerId.optional().meta({ description: "With a call of this customer within the window" }),
  agent_id: objectId.optional().meta({ description: "With a call of this agent within the window" }),
});

const sessionResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Session" });

const customerResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Customer" });

export const subjectOperations = declareOperations({
  "sessions.get": {
    method: "GET",
    path: "/api/sessions/:id",
    summary: "One session and its cost",
    params: callerIdParams,
    output: sessionResource,
    ...readAccess,
  },
  "sessions.list": {
    method: "GET",
    path: "/api/sessions",
    summary: "Sessions that were active within the window, latest activity first",
    query: sessionPageQuery,
    output: z.strictObject({ sessions: z.array(sessionResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "customers.get": {
    method: "GET",
    path: "/api/customers/:id",
    summary: "One customer, its cost in total and by day",
    params: callerIdParams,
    query: z.strictObject(windowQuery),
    output: z.strictObject({
      ...customerResource.shape,
      period: periodResource,
      by_day: z.array(z.strictObject({ date: z.string(), ...costSums })),
    }),
    ...readAccess,
  },
  "customers.list": {
    method: "GET",
    path: "/api/customers",
    summary: "Customers that were active within the window, latest activity first",
    query: subjectPageQuery,
    output: z.strictObject({ customers: z.array(customerResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "config_versions.list": {
    method: "GET",
    path: "/api/config-versions",
    summary: "Cost by configuration revision; labels are compared exactly",
    query: subjectPageQuery,
    output: z.strictObject({
      config_versions: z.array(z.strictObject({ config_version: z.string(), ...subjectTotals })),
      next_cursor: nextCursor,
    }),
    ...readAccess,
  },
});
