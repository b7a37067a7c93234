import type { TaskCategory } from "@tollgate/core/event";
import type { VoidReason } from "@tollgate/core/verification/trial-status";
import { expiryOf } from "@tollgate/core/verification/verdict";
import type { RequestEndReason, VerdictName } from "@tollgate/core/verification/vocabulary";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import { candidateName, prodName, type RequestRow } from "./request-row.ts";
import type { VerdictResult } from "./verdict-result.ts";

/** One row of `verdicts`. */
export interface Finding {
  /** null: all categories together. */
  readonly category: TaskCategory | null;
  readonly verdict: VerdictName;
  readonly result: VerdictResult;
}

/**
 * Ends a request with a verdict, and charges it, in the caller's transaction, which holds the request's lock and has
 * checked that it is open. So a verdict never exists without its charge, and there is never a second one.
 */
export async function concludeRequest(
  transaction: ControlDb,
  { newId, catalogue }: Pick<Control, "newId" | "catalogue">,
  request: RequestRow,
  [overall, ...byCategory]: readonly [Finding, ...Finding[]],
  at: number,
): Promise<void> {
  const { id, org_id, mode, trial_id } = request;
  const verdictId = newId();
  await transaction
    .insertInto("verdicts")
    .values(
      [overall, ...byCategory].map((finding, index) => ({
        id: index === 0 ? verdictId : newId(),
        org_id,
        mode,
        request_id: id,
        trial_id,
        agent_id: request.agent_id,
        agent_key: request.agent_key,
        prod_model: prodName(request, catalogue),
        candidate_model: candidateName(request, catalogue),
        task_category: finding.category,
        verdict: finding.verdict,
        evidence_mode: request.evidence_mode,
        result: JSON.stringify(finding.result),
        judge_model: request.judge_model,
        concluded_at: at,
        expires_at: expiryOf(at),
        invalidated_at: null,
        invalid_reason: null,
      })),
    )
    .execute();
  await transaction
    .updateTable("verification_trials")
    .set({ status: "concluded", verdict_id: verdictId, ended_at: at })
    .where("id", "=", trial_id)
    .execute();
  await transaction
    .updateTable("verification_requests")
    .set({ status: "concluded", end_reason: "verdict", verdict_id: verdictId, ended_at: at })
    .where("id", "=", id)
    .execute();
  await transaction
    .insertInto("verification_charges")
    .values({ request_id: id, org_id, mode, created_at: at })
    .execute();
}

type EndWithoutVerdict = Exclude<RequestEndReason, "verdict">;

/** Why the trial is void. One that showed nothing within the limits of its plan has expired. */
const voidReasonOf: Readonly<Record<EndWithoutVerdict, VoidReason>> = {
  cancelled: "cancelled",
  max_pairs: "expired",
  time: "expired",
  spend: "expired",
  experiment: "expired",
  served_model_changed: "served_model_changed",
  switched_meanwhile: "switched_meanwhile",
  judge_noise: "judge_noise",
};

/** No verdict, no charge. The caller holds the request's lock, and has checked that it is open. */
export async function endWithoutVerdict(
  transaction: ControlDb,
  { id, trial_id }: Pick<RequestRow, "id" | "trial_id">,
  reason: EndWithoutVerdict,
  at: number,
): Promise<void> {
  const voidReason = voidReasonOf[reason];
  await transaction
    .updateTable("verification_trials")
    .set({ status: "voided", void_reason: voidReason, ended_at: at })
    .where("id", "=", trial_id)
    .execute();
  await transaction
    .updateTable("verification_requests")
    .set({ status: voidReason === "expired" ? "expired" : "voided", end_reason: reason, ended_at: at })
    .where("id", "=", id)
    .execute();
}
