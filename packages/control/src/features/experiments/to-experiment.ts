import { type experimentResource, experimentResults } from "@tollgate/core/contract/experiments";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { assess } from "@tollgate/core/experiments/assess";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { z } from "zod";
import type { ExperimentRow } from "./experiment-row.ts";
import { readEvidence } from "./read-evidence.ts";

export type Experiment = z.infer<typeof experimentResource>;
type ExperimentResults = z.infer<typeof experimentResults>;

/** An experiment and its results: current, or as stored when it ended. */
export async function toExperiment(db: ControlDb, row: ExperimentRow, now: number): Promise<Experiment> {
  const kept = storedResults(row);
  if (kept !== null) return withResults(row, kept);
  const computed = await computeResults(db, row, now);
  // It may have ended in the meantime, and then its evidence is deleted.
  const ended = await db
    .selectFrom("experiments")
    .selectAll()
    .where("id", "=", row.id)
    .where("results", "is not", null)
    .executeTakeFirst();
  return ended === undefined
    ? withResults(row, computed)
    : withResults(ended, storedResults(ended) ?? computed);
}

export async function computeResults(
  db: ControlDb,
  row: ExperimentRow,
  now: number,
): Promise<ExperimentResults> {
  return { ...assess(await readEvidence(db, row)), computed_at: toIsoTime(now) };
}

function storedResults({ results }: ExperimentRow): ExperimentResults | null {
  return results === null ? null : experimentResults.parse(JSON.parse(results));
}

function withResults(row: ExperimentRow, results: ExperimentResults): Experiment {
  const { status, primary_metric, end_reason } = fromRow("experiments", row);
  return {
    id: row.id,
    name: row.name,
    agent_id: row.agent_id,
    control_model: row.control_model,
    treatment_model: row.treatment_model,
    traffic_pct: row.traffic_pct,
    status,
    primary_metric,
    max_duration_days: row.max_duration_days,
    auto_promote: row.auto_promote === 1,
    created_at: toIsoTime(row.created_at),
    ends_at: toIsoTime(row.ends_at),
    ended_at: row.ended_at === null ? null : toIsoTime(row.ended_at),
    end_reason,
    promoted: row.promoted === 1,
    control_samples: results.control.calls,
    treatment_samples: results.treatment.calls,
    is_significant: results.is_significant,
    winner: results.winner,
    results,
  };
}
