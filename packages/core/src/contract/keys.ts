import { z } from "zod";
import { unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams } from "./fields/object-id.ts";
import { nextCursor, pageQuery } from "./fields/paging.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

/** A key as it can always be shown: by its last four characters. */
export const keyResource = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    mode: z.enum(["live", "test"]),
    scope: z.enum(["read", "write"]),
    last_four: z.string(),
    created_by: z.string().nullable().meta({
      description:
        "The e-mail address of the member who created it, or `cli`; null: created before this was recorded. A key that was created with another key has that key's value.",
    }),
    created_at: isoTime,
    revoked_at: isoTime.nullable(),
    calls: z.int().meta({ description: "Calls made or reported with it, within the tier's history" }),
    spend_microcents: z.int().meta({ description: "Cost of those calls" }),
    unpriced_calls: unpricedCalls,
    last_used_at: isoTime.nullable().meta({
      description:
        "The time of its latest call, however long ago; null: none. Requests to the web API and refused calls do not count",
    }),
  })
  .meta({ id: "ApiKey" });

export const keyOperations = declareOperations({
  "keys.create": {
    method: "POST",
    path: "/api/keys",
    summary: "Create an API key; its text is shown only once",
    body: z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, "must not contain control characters")
        .optional(),
      mode: z.enum(["live", "test"]).optional().meta({ description: "Omitted: the caller's mode" }),
      scope: z.enum(["read", "write"]).default("write"),
    }),
    output: z.strictObject({ ...keyResource.shape, key: z.string() }),
    status: 201,
    ...writeAccess,
  },
  "keys.list": {
    method: "GET",
    path: "/api/keys",
    summary: "API keys with their usage, newest first, paged; a test key sees only test keys",
    query: pageQuery,
    output: z.strictObject({ keys: z.array(keyResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "keys.revoke": {
    method: "DELETE",
    path: "/api/keys/:id",
    summary: "Revoke an API key; it is refused from then on",
    params: idParams,
    ...writeAccess,
  },
});
