import { type Conclusion, concludeFleet } from "@tollgate/core/predictions/conclude-fleet";
import {
  examineAgent,
  examineBudget,
  examineOrganization,
  hasOwnSeries,
} from "@tollgate/core/predictions/examine-fleet";
import type { Finding } from "@tollgate/core/predictions/prediction";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { readBudgetSeries } from "./read-budget-series.ts";
import { readFleetLimits } from "./read-fleet-limits.ts";
import { readFleetSeries } from "./read-fleet-series.ts";

/** Yields the event loop after this many agents; one takes under a millisecond. */
const AGENTS_PER_TURN = 5;

export async function computePredictions(
  parts: Pick<Control, "db" | "readModel" | "now">,
  scope: Scope,
): Promise<Conclusion> {
  const now = parts.now();
  const limits = await readFleetLimits(parts, scope);
  if (limits === null) return { predictions: [], insufficient: [] };
  const { organization, agents } = await readFleetSeries(
    parts,
    scope,
    limits,
    await archivedAgents(parts, scope),
    now,
  );
  const findings: Finding[] = examineOrganization(organization, limits, now);
  for (const [index, agent] of agents.entries()) {
    findings.push(...examineAgent(agent, limits, now));
    if (index % AGENTS_PER_TURN === AGENTS_PER_TURN - 1) await Bun.sleep(0);
  }
  for (const budget of limits.budgets.filter(hasOwnSeries)) {
    findings.push(...examineBudget(await readBudgetSeries(parts, scope, budget, now), budget, now));
  }
  return concludeFleet(findings, now);
}

async function archivedAgents({ db }: Pick<Control, "db">, scope: Scope): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("agent_settings")
    .select("agent_id")
    .where(inScope(scope))
    .where("archived_at", "is not", null)
    .execute();
  return new Set(rows.map(row => row.agent_id));
}
