import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { verificationRequest } from "@tollgate/core/contract/verification";
import { DAY_MS } from "@tollgate/core/time/durations";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { noProgress, type Progress, parseProgress } from "./progress.ts";
import { candidateName, isOpen, pollPath, prodName, type RequestRow } from "./request-row.ts";
import { readVerdicts, type Verdict } from "./to-verdict.ts";
import { scoreEnvelope } from "./verdict-result.ts";

export type VerificationRequest = z.infer<typeof verificationRequest>;

/** Requests with their progress and verdicts, in the order of the rows. */
export async function toRequests(
  context: Context,
  rows: readonly RequestRow[],
): Promise<VerificationRequest[]> {
  const { db, engine } = context;
  const progress = new Map(
    (
      await db
        .selectFrom("verification_progress")
        .selectAll()
        .where(
          "request_id",
          "in",
          listOfTexts(
            engine,
            rows.map(({ id }) => id),
          ),
        )
        .execute()
    ).map(row => [row.request_id, parseProgress(row)]),
  );
  const verdicts = await readVerdicts(
    context,
    rows.flatMap(({ verdict_id }) => verdict_id ?? []),
  );
  return rows.map(row =>
    toRequest(context, row, progress.get(row.id) ?? noProgress, verdicts.get(row.verdict_id ?? "") ?? null),
  );
}

function toRequest(
  { catalogue, now }: Context,
  row: RequestRow,
  progress: Progress,
  verdict: Verdict | null,
): VerificationRequest {
  const { state } = progress;
  return {
    id: row.id,
    trial_id: row.trial_id,
    poll: pollPath(row.id),
    status: row.status,
    end_reason: row.end_reason,
    agent_id: row.agent_id,
    prod_model: prodName(row, catalogue),
    candidate_model: candidateName(row, catalogue),
    judge_model: row.judge_model,
    policy_id: row.policy_id,
    evidence_mode: row.evidence_mode,
    progress: {
      pairs: progress.pairs,
      max_pairs: row.max_pairs,
      controls: progress.controls,
      spent_microcents: progress.spentMicrocents,
      unpriced_calls: state.unpriced_calls,
      max_spend_microcents: row.max_spend_microcents,
      days_left: isOpen(row) ? Math.max(0, hundredths((row.expires_at - now()) / DAY_MS)) : 0,
      expected_end: expectedEnd(row, progress, now()),
      score: scoreEnvelope(state.score, state.data_through),
    },
    verdict,
    created_at: toIsoTime(row.created_at),
    expires_at: toIsoTime(row.expires_at),
    ended_at: row.ended_at === null ? null : toIsoTime(row.ended_at),
  };
}

/** At the average rate since the start; never later than its time limit. */
function expectedEnd(row: RequestRow, { pairs }: Progress, now: number): string | null {
  if (row.status !== "collecting" || pairs === 0) return null;
  const msPerPair = Math.max(0, now - row.created_at) / pairs;
  return toIsoTime(Math.min(row.expires_at, Math.round(now + msPerPair * (row.max_pairs - pairs))));
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
