import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import { sql } from "kysely";
import type { Context } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import { includesSuggestions } from "../suggestions/includes-suggestions.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";

type Summary = OutputOf<Operations["optimizations.summary"]>;

const MAX_APPLIED = 50;

/** Potential savings (as `suggestions.list` without parameters) and current savings. */
export async function summarizeOptimizations(context: Context): Promise<Summary> {
  const [report, applied] = await Promise.all([makeSuggestions(context, {}), readApplied(context)]);
  return {
    total_savings_cents: report.totalMonthlySavingsCents,
    suggestion_count: report.suggestions.length,
    suggestions_included: includesSuggestions(context.organization.tier),
    top_suggestion: report.suggestions[0]?.title ?? null,
    applied,
  };
}

async function readApplied({ db, scope }: Context): Promise<Summary["applied"]> {
  const rows = await db
    .selectFrom("optimizations")
    .leftJoin(
      db
        .selectFrom("optimization_effects")
        .select(["optimization_id"])
        .select([
          sumOf(sql.ref("calls")).as("calls"),
          sumOf(sql.ref("priced_calls")).as("priced_calls"),
          sumOf(sql.ref("saved_microcents")).as("saved_microcents"),
        ])
        .where("optimization_id", "in", db.selectFrom("optimizations").select("id").where(inScope(scope)))
        .groupBy("optimization_id")
        .as("effect"),
      "effect.optimization_id",
      "optimizations.id",
    )
    .select(["id", "agent_id", "optimization_type", "payload", "applied_at"])
    .select(["effect.calls", "effect.priced_calls", "effect.saved_microcents"])
    .where(inScope(scope))
    .where("undone_at", "is", null)
    .orderBy("applied_at", "desc")
    .orderBy("id", "desc")
    .limit(MAX_APPLIED)
    .execute();
  return rows.map(row => {
    const { optimization_type: type } = fromRow("optimizations", row);
    const { model } = readMetadata(row.payload);
    const isKnown = type === "model_switch" && (row.calls ?? 0) === (row.priced_calls ?? 0);
    return {
      optimization_id: row.id,
      agent_id: row.agent_id,
      type,
      model: typeof model === "string" ? model : null,
      applied_at: toIsoTime(row.applied_at),
      calls_since: row.calls ?? 0,
      saved_microcents: isKnown ? (row.saved_microcents ?? 0) : null,
    };
  });
}
