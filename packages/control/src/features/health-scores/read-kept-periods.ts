import { type PeriodSpan, periodSpan } from "@tollgate/core/budgets/period";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Window } from "@tollgate/storage/read-model/window";
import type { Context } from "../../kernel/context.ts";

interface KeptPeriods {
  /** Periods that ended within the window. */
  periods: number;
  /** How many of them ended within the current limit. */
  kept: number;
}

/** For budgets of single agents, by public agent id. A budget counts from its creation or its last reset. */
export async function readKeptPeriods(
  { db, scope, readModel }: Pick<Context, "db" | "scope" | "readModel">,
  window: Window,
): Promise<ReadonlyMap<string, KeptPeriods>> {
  const rows = await db
    .selectFrom("budgets")
    .select(["id", "agent_id", "period", "limit_microcents", "since"])
    .where(inScope(scope))
    .where("agent_id", "is not", null)
    .execute();
  const ended = rows.flatMap(row => {
    const { agent_id, ...budget } = fromRow("budgets", row);
    if (agent_id === null) return [];
    const spans = endedSpans(budget.period, Math.max(window.from, budget.since), window.to);
    return spans.map((span, index) => ({ ...budget, agent_id, index, span }));
  });
  const found = new Map<string, KeptPeriods>();
  // One period of each budget at a time, because spend is queried by budget.
  for (const periods of Map.groupBy(ended, ({ index }) => index).values()) {
    const spend = await readModel.budgetSpend(
      periods.map(({ id, since, span }) => ({ id, since, period: span.id })),
    );
    for (const { id, agent_id, limit_microcents } of periods) {
      const known = found.get(agent_id) ?? { periods: 0, kept: 0 };
      found.set(agent_id, known);
      known.periods++;
      // A period without a row has spent nothing.
      if ((spend.get(id)?.settledMicrocents ?? 0) <= limit_microcents) known.kept++;
    }
  }
  return found;
}

function endedSpans(period: "daily" | "monthly", fromMs: number, toMs: number): PeriodSpan[] {
  const spans: PeriodSpan[] = [];
  for (let at = fromMs; at < toMs; ) {
    const span = periodSpan(period, at);
    if (span.endsAtMs > toMs) break;
    spans.push(span);
    at = span.endsAtMs;
  }
  return spans;
}
