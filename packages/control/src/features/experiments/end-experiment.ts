import type { EndReason } from "@tollgate/core/experiments/experiment";
import { promotionOf } from "@tollgate/core/experiments/promotion";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { Cause } from "../actuations/cause-of.ts";
import { recordActuation } from "../actuations/record-actuation.ts";
import { type ExperimentRow, isOpen } from "./experiment-row.ts";
import { promoteTreatment } from "./promote-treatment.ts";
import { computeResults } from "./to-experiment.ts";

interface End {
  readonly reason: EndReason;
  /** Requested by a person, or by the experiment's own `auto_promote`. */
  readonly promote: boolean;
  /** Who ends it; also named as the author of a promotion. */
  readonly cause: Cause;
  readonly at: number;
}

interface Ended {
  readonly row: ExperimentRow & { readonly status: "completed" | "cancelled" };
  readonly promoted: boolean;
  readonly message: string;
}

type Parts = Pick<Control, "db" | "engine" | "now" | "newId" | "experiments">;

/**
 * Ends an experiment: stores its results, and makes a winning treatment the agent's model if requested. All in one
 * transaction, after every call of the experiment was counted. null: it had already ended.
 */
export async function endExperiment(parts: Parts, id: string, end: End): Promise<Ended | null> {
  await parts.experiments.catchUp();
  return await parts.db.transaction().execute(async transaction => {
    const row = await lockExperiment(transaction, parts.engine, id);
    if (row === undefined || !isOpen(row)) return null;
    const results = await computeResults(transaction, { ...row, ended_at: end.at }, end.at);
    const promotion = promotionOf(results, {
      isByPerson: end.cause.authority === "operator",
      isAsked: end.promote,
      treatmentModel: row.treatment_model,
    });
    const hasBoth = results.control.calls > 0 && results.treatment.calls > 0;
    // One that ran its full time is complete, even if an arm had no calls.
    const status: Ended["row"]["status"] = hasBoth || end.reason === "duration" ? "completed" : "cancelled";
    const change = {
      status,
      ended_at: end.at,
      end_reason: end.reason,
      winner: results.winner,
      promoted: promotion.promotes ? 1 : 0,
      results: JSON.stringify(results),
      updated_at: parts.now(),
    };
    await transaction.updateTable("experiments").set(change).where("id", "=", id).execute();
    await forgetSums(transaction, id);
    await recordActuation(transaction, parts, {
      scope: toScope(row),
      agent: { id: row.agent_id, agentKey: row.agent_key },
      type: "experiment",
      change: "stop",
      subjectId: id,
      cause: end.cause,
      askedAt: end.at,
    });
    if (promotion.promotes) await promoteTreatment(transaction, parts, row, end.cause.actor);
    return { row: { ...row, ...change }, promoted: promotion.promotes, message: promotion.message };
  });
}

/** Deletes the data that results are computed from; from now on the stored results are read. */
async function forgetSums(transaction: ControlDb, id: string): Promise<void> {
  for (const table of ["experiment_sessions", "experiment_latencies", "experiment_tallies"] as const) {
    await transaction.deleteFrom(table).where("experiment_id", "=", id).execute();
  }
}

async function lockExperiment(
  transaction: ControlDb,
  engine: Control["engine"],
  id: string,
): Promise<ExperimentRow | undefined> {
  const query = transaction.selectFrom("experiments").selectAll().where("id", "=", id);
  return await (engine === "postgres" ? query.forUpdate() : query).executeTakeFirst();
}
