import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { type verdictResource, verdictResult } from "@tollgate/core/contract/verification";
import { freshness } from "@tollgate/core/verification/verdict";
import { fromRow } from "@tollgate/storage/database/from-row";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Selectable } from "kysely";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";

export type Verdict = z.infer<typeof verdictResource>;

/** By id; those of another scope are not found. */
export async function readVerdicts(
  { db, engine, scope, now }: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Verdict>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("verdicts")
    .selectAll()
    .where(inScope(scope))
    .where("id", "in", listOfTexts(engine, ids))
    .execute();
  return new Map(rows.map(row => [row.id, toVerdict(row, now())]));
}

/** Newest first; the verdict over all categories before those of each. */
export async function listVerdicts({ db, scope, now }: Context, limit: number): Promise<Verdict[]> {
  const rows = await db
    .selectFrom("verdicts")
    .selectAll()
    .where(inScope(scope))
    .orderBy("concluded_at", "desc")
    .orderBy("request_id", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(row => toVerdict(row, now()));
}

function toVerdict(stored: Selectable<ControlSchema["verdicts"]>, now: number): Verdict {
  const row = fromRow("verdicts", stored);
  return {
    id: row.id,
    request_id: row.request_id,
    trial_id: row.trial_id,
    agent_id: row.agent_id,
    prod_model: row.prod_model,
    candidate_model: row.candidate_model,
    task_category: row.task_category,
    verdict: row.verdict,
    freshness:
      row.invalidated_at === null ? freshness({ expires_at_ms: row.expires_at }, now) : "invalidated",
    invalid_reason: row.invalid_reason,
    evidence_mode: row.evidence_mode,
    judge_model: row.judge_model,
    ...verdictResult.parse(JSON.parse(row.result)),
    concluded_at: toIsoTime(row.concluded_at),
    expires_at: toIsoTime(row.expires_at),
  };
}
