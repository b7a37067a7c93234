import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { queueItem } from "@tollgate/core/contract/queue";
import { freshness } from "@tollgate/core/verification/verdict";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";

export type QueueItem = z.infer<typeof queueItem>;

/** Reasons that a person can resolve; others resolve on their own, or never. */
const nextSteps: Readonly<Record<string, string>> = {
  no_verdict:
    "Verify the switch to the model that the agent's suggestion names: POST /api/verify/requests, or svc_verify_switch",
  verdict_expired: "Verify the switch again: POST /api/verify/requests, or svc_verify_switch",
  experiment_running: "Wait for the agent's experiment, or stop it",
  missing_outcomes: "Report outcomes of the agent's sessions: POST /api/outcomes",
};

/** Derived from verdicts, proposals and actuations on each read, never stored. Oldest first. */
export async function readQueue({ db, scope, now }: Context): Promise<QueueItem[]> {
  const at = now();
  const [verdicts, proposals, breaks, marks] = await Promise.all([
    db
      .selectFrom("verdicts")
      .selectAll()
      .where(inScope(scope))
      .where("task_category", "is", null)
      .where("invalidated_at", "is", null)
      .where("expires_at", ">", at)
      .execute(),
    db.selectFrom("proposals").selectAll().where(inScope(scope)).execute(),
    db
      .selectFrom("actuations")
      .selectAll()
      .where(inScope(scope))
      .where("authority", "=", "breaker")
      .where("acknowledged_at", "is", null)
      .execute(),
    db.selectFrom("queue_marks").selectAll().where(inScope(scope)).execute(),
  ]);
  const items: QueueItem[] = [];
  for (const verdict of verdicts) {
    const { id, agent_id, concluded_at, expires_at } = verdict;
    const proposal = proposals.find(one => one.source_id === id);
    const shown = { agent_id, subject_id: id, reason: verdict.verdict, due_at: toIsoTime(expires_at) };
    if (!["approved", "applied", "dismissed"].includes(proposal?.status ?? "")) {
      const isApprovable = proposal?.status === "open";
      items.push({
        ...shown,
        id: `verdict_${id}`,
        kind: "verdict",
        next_step: !isApprovable
          ? "Acknowledge the verdict; it backs no switch now"
          : agent_id === null
            ? "Approve the switch of one agent after the other (agent_id), then acknowledge the verdict"
            : "Approve the switch, or acknowledge the verdict",
        since: toIsoTime(concluded_at),
        actions: [...(isApprovable ? (["approve"] as const) : []), "snooze", "acknowledge"],
      });
    }
    if (freshness({ expires_at_ms: expires_at }, at) !== "expiring") continue;
    items.push({
      ...shown,
      id: `evidence_${id}`,
      kind: "expiring_evidence",
      next_step: "Verify the switch again before the verdict expires, or acknowledge it",
      since: toIsoTime(concluded_at),
      actions: ["snooze", "acknowledge"],
    });
  }
  for (const { id, agent_id, status, blocked_reason, updated_at } of proposals) {
    const next_step = nextSteps[blocked_reason ?? ""];
    if (status !== "blocked" || blocked_reason === null || next_step === undefined) continue;
    items.push({
      id: `proposal_${id}`,
      kind: "blocked_proposal",
      agent_id,
      subject_id: id,
      reason: blocked_reason,
      next_step,
      since: toIsoTime(updated_at),
      due_at: null,
      actions: ["snooze", "acknowledge"],
    });
  }
  for (const { id, agent_id, action_type, subject_id, applied_at } of breaks) {
    items.push({
      id: `breaker_${id}`,
      kind: "breaker_event",
      agent_id,
      subject_id,
      reason:
        action_type === "experiment"
          ? "the breaker stopped an experiment, because its control was the switch that it undid"
          : "the breaker undid a model switch that made calls worse",
      next_step: "Look at the actuations of the agent and their rollback reason, then acknowledge it",
      since: toIsoTime(applied_at),
      due_at: null,
      actions: ["snooze", "acknowledge"],
    });
  }
  const hidden = new Set(
    marks
      .filter(mark => mark.acknowledged_at !== null || (mark.snoozed_until ?? 0) > at)
      .map(({ item_id }) => item_id),
  );
  return items
    .filter(({ id }) => !hidden.has(id))
    .sort((a, b) => (a.since === b.since ? (a.id < b.id ? -1 : 1) : a.since < b.since ? -1 : 1));
}
