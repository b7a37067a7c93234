import { envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { proposalOperations, proposalResource } from "@tollgate/core/contract/proposals";
import { traitsOf } from "@tollgate/core/decisions/vocabulary";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { z } from "zod";
import type { Handlers } from "../../kernel/handler.ts";
import { isSnoozed, snoozedItems } from "../../kernel/snoozed-items.ts";

export const proposalHandlers: Handlers<typeof proposalOperations> = {
  "loop_views.proposals": async ({ db, scope, now }, { limit }) => {
    const mine = db.selectFrom("proposals").where(inScope(scope));
    const [counted, rows, snoozed] = await Promise.all([
      mine.select(({ fn }) => fn.countAll<number>().as("proposals")).executeTakeFirstOrThrow(),
      mine.selectAll().orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute(),
      snoozedItems(db, scope, now()),
    ]);
    return {
      total: toEnvelope({ method: "count", value: Number(counted.proposals) }, now()),
      proposals: rows.map(row => toProposal(row, snoozed)),
    };
  },
};

function toProposal(
  row: StoredRow<"proposals">,
  snoozed: ReadonlySet<string>,
): z.infer<typeof proposalResource> {
  const { source, action_type, ...stored } = fromRow("proposals", row);
  const isWaiting = (stored.status === "open" || stored.status === "blocked") && isSnoozed(row, snoozed);
  const status = isWaiting ? "blocked" : stored.status;
  const blocked_reason = isWaiting ? "snoozed" : stored.blocked_reason;
  const { actionClass, decisionClass, lever, risk, reversibility } = traitsOf(action_type);
  return {
    id: row.id,
    agent_id: row.agent_id,
    source,
    action_type,
    action_class: actionClass,
    d_class: decisionClass,
    status,
    blocked_reason,
    estimated_impact: { monthly_microcents: envelope.parse(JSON.parse(row.impact)) },
    axes: { lever, scope: row.agent_id === null ? "organization" : "agent", risk, reversibility },
    created_at: toIsoTime(row.created_at),
    updated_at: toIsoTime(row.updated_at),
  };
}
