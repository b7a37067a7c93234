import { z } from "zod";
import { modes } from "../event.ts";
import { isoTime, isoTimeInput } from "./fields/iso-time.ts";
import { objectId } from "./fields/object-id.ts";
import { cursorInput, nextCursor, pageLimit } from "./fields/paging.ts";
import { declareOperations } from "./operation.ts";

export const auditActors = ["member", "key", "cli"] as const;

/** What kind of program sent a request, by its User-Agent. */
export const auditClients = ["browser", "command_line", "program"] as const;

const columns = z.record(z.string(), z.unknown()).nullable();

const auditEntry = z
  .strictObject({
    id: z.string(),
    created_at: isoTime,
    mode: z.enum(modes),
    actor: z.strictObject({
      kind: z.enum(auditActors),
      name: z.string().meta({ description: "An e-mail address, the id of a key, or `cli`" }),
      session_id: z.string().nullable(),
    }),
    origin: z.strictObject({
      ip: z.string().nullable(),
      client: z.enum(auditClients).nullable().meta({ description: "Derived from the User-Agent" }),
    }),
    operation: z.string().meta({ description: "Such as `budgets.create`, or a command" }),
    object: z.string().nullable().meta({ description: "Kind of the first object that changed" }),
    object_id: z.string().nullable(),
    changes: z
      .array(
        z.strictObject({
          object: z.string(),
          id: z.string(),
          before: columns.meta({ description: "null: it did not exist" }),
          after: columns.meta({ description: "null: it was deleted" }),
        }),
      )
      .meta({
        description:
          "The stored values that changed; at most 50. Secrets are `hidden`; a value above 512 characters is `{characters, sha256}`, its length and SHA-256. Empty: no configuration changed, as for a test message",
      }),
    omitted_changes: z.int().meta({ description: "Number of further changes" }),
  })
  .meta({ id: "AuditEntry" });

export const auditOperations = declareOperations({
  "audit.list": {
    method: "GET",
    path: "/api/audit",
    summary:
      "Who changed what, when and from where, with the values before and after; newest first, both modes",
    query: z.strictObject({
      actor: z.string().min(1).max(320).optional().meta({ description: "E-mail address, key id or `cli`" }),
      operation: z.string().min(1).max(100).optional(),
      object_id: objectId.optional(),
      from: isoTimeInput.optional(),
      to: isoTimeInput.optional().meta({ description: "ISO 8601, exclusive" }),
      limit: pageLimit(200),
      cursor: cursorInput.optional(),
    }),
    output: z.strictObject({ entries: z.array(auditEntry), next_cursor: nextCursor }),
    scope: "read",
    role: "admin",
  },
});
