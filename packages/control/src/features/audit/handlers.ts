import type { auditOperations } from "@tollgate/core/contract/audit";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import type { Handlers } from "../../kernel/handler.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";

type Entry = OutputOf<Operations["audit.list"]>["entries"][number];

export const auditHandlers: Handlers<typeof auditOperations> = {
  "audit.list": async ({ db, scope, actor }, input) => {
    let query = db.selectFrom("audit_log").selectAll().where("org_id", "=", scope.orgId);
    // Test keys leak, so they show nothing of live traffic.
    if (actor.kind === "key" && scope.mode === "test") query = query.where("mode", "=", "test");
    if (input.actor !== undefined) query = query.where("actor", "=", input.actor);
    if (input.operation !== undefined) query = query.where("operation", "=", input.operation);
    if (input.object_id !== undefined) query = query.where("object_id", "=", input.object_id);
    if (input.from !== undefined) query = query.where("created_at", ">=", input.from);
    if (input.to !== undefined) query = query.where("created_at", "<", input.to);
    const { shown, next_cursor } = await readPageByTime(query, input);
    return { entries: shown.map(toEntry), next_cursor };
  },
};

function toEntry(stored: StoredRow<"audit_log">): Entry {
  const row = fromRow("audit_log", stored);
  return {
    id: row.id,
    created_at: toIsoTime(row.created_at),
    mode: row.mode,
    actor: { kind: row.actor_kind, name: row.actor, session_id: row.session_id },
    origin: { ip: row.ip, client: row.client },
    operation: row.operation,
    object: row.object,
    object_id: row.object_id,
    // `audit-trail.ts` wrote this column.
    changes: JSON.parse(row.changes) as Entry["changes"],
    omitted_changes: row.omitted_changes,
  };
}
