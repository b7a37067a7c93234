import type { ProposalStatus } from "@tollgate/core/decisions/vocabulary";
import { DAY_MS } from "@tollgate/core/time/durations";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { ControlTransaction, StoredRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import type { ProposalDraft } from "./draft-proposals.ts";

type Row = StoredRow<"proposals">;
type InForce = Pick<StoredRow<"optimizations">, "agent_id" | "optimization_type" | "payload">;

/** A dismissed proposal is not made again for this long. */
const DISMISSED_MS = 30 * DAY_MS;

/** Brings the stored proposals of a scope in line with the drafts. Idempotent. */
export async function storeProposals(
  { db, engine, now, newId }: Pick<Control, "db" | "engine" | "now" | "newId">,
  scope: Scope,
  drafts: readonly ProposalDraft[],
): Promise<void> {
  await db.transaction().execute(async transaction => {
    await lockOrganization(transaction, engine, scope.orgId);
    const at = now();
    const rows = await transaction.selectFrom("proposals").selectAll().where(inScope(scope)).execute();
    const inForce = await transaction
      .selectFrom("optimizations")
      .select(["agent_id", "optimization_type", "payload"])
      .where(inScope(scope))
      .where("undone_at", "is", null)
      .execute();
    const known = new Map(rows.map(row => [row.proposal_key, row]));
    const switching = new Set(
      drafts.flatMap(({ action, agentId }) =>
        action === "model_switch" && agentId !== null ? [agentId] : [],
      ),
    );
    for (const draft of drafts) {
      const row = known.get(draft.key);
      await write(transaction, row, toRow(draft, row, scope, inForce, { at, newId }));
      known.delete(draft.key);
    }
    for (const row of known.values()) {
      const status = statusWithoutDraft(row, inForce, switching);
      if (status !== row.status)
        await write(transaction, row, { ...row, status, blocked_reason: null, updated_at: at });
    }
  });
}

function toRow(
  draft: ProposalDraft,
  row: Row | undefined,
  scope: Scope,
  inForce: readonly InForce[],
  { at, newId }: { readonly at: number; readonly newId: () => string },
): Row {
  const payload = JSON.stringify(draft.payload);
  // The change may have been made since the drafts were written.
  const isApplied = isInForce({ agent_id: draft.agentId, action_type: draft.action, payload }, inForce);
  const drafted = isApplied ? "applied" : draft.blockedReason === null ? "open" : "blocked";
  // A person's decision is kept; a proposal that had ended and is drafted again is reopened.
  const isKept =
    row !== undefined &&
    (row.status === "approved" ||
      (row.status === "applied" && isApplied) ||
      (row.status === "dismissed" && at < (row.decided_at ?? 0) + DISMISSED_MS));
  const made: Row = {
    id: row?.id ?? newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    proposal_key: draft.key,
    source: draft.source,
    source_id: draft.sourceId,
    agent_id: draft.agentId,
    action_type: draft.action,
    status: isKept ? row.status : drafted,
    blocked_reason: isKept || isApplied ? null : draft.blockedReason,
    impact: JSON.stringify(draft.impact),
    payload,
    decided_by: isKept ? row.decided_by : null,
    decided_at: isKept ? row.decided_at : null,
    created_at: row?.created_at ?? at,
    updated_at: at,
  };
  if (row === undefined) return made;
  const isSame = row.status === made.status && row.blocked_reason === made.blocked_reason;
  return { ...made, updated_at: isSame ? row.updated_at : at };
}

function statusWithoutDraft(
  row: Row,
  inForce: readonly InForce[],
  switching: ReadonlySet<string>,
): ProposalStatus | string {
  if (row.status === "dismissed") return row.status;
  if (isInForce(row, inForce)) return "applied";
  const isReplaced =
    row.action_type === "model_switch" &&
    (ofAgent(row, inForce).length > 0 || (row.agent_id !== null && switching.has(row.agent_id)));
  if (row.status === "superseded" || row.status === "expired") return row.status;
  return isReplaced ? "superseded" : "expired";
}

type Change = Pick<Row, "agent_id" | "action_type" | "payload">;

function isInForce(change: Change, inForce: readonly InForce[]): boolean {
  const { model } = readMetadata(change.payload);
  return ofAgent(change, inForce).some(
    one => change.action_type !== "model_switch" || readMetadata(one.payload).model === model,
  );
}

function ofAgent({ agent_id, action_type }: Change, inForce: readonly InForce[]): InForce[] {
  return inForce.filter(one => one.agent_id === agent_id && one.optimization_type === action_type);
}

async function write(transaction: ControlTransaction, before: Row | undefined, row: Row): Promise<void> {
  if (before === undefined) {
    await transaction.insertInto("proposals").values(row).execute();
    return;
  }
  await transaction.updateTable("proposals").set(row).where("id", "=", before.id).execute();
}
