import { isDeepStrictEqual } from "node:util";
import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { alertRules } from "@tollgate/core/alerts/alert-rules";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { applyRules } from "./apply-rules.ts";
import { observeBudgets } from "./observe-costs.ts";
import type { ScopeEvaluation } from "./scope-evaluation.ts";

interface BudgetDrafts {
  /** A budget beyond its limit is also beyond its warning. */
  readonly holding: AlertDraft[];
  /** Of both, only the limit is reported. */
  readonly toRaise: AlertDraft[];
}

export async function judgeBudgets(
  evaluation: ScopeEvaluation,
  days: readonly number[],
): Promise<BudgetDrafts> {
  const { control, scope, settings } = evaluation;
  const observations = await observeBudgets(control.readModel, scope, settings.budgets, days);
  const judged = observations.map(observed => ({
    id: observed.id,
    drafts: applyRules(alertRules.budget, observed, settings.preferences),
  }));
  const reached = judged.filter(({ drafts }) => drafts.length > 0);
  if (reached.length === 0) return { holding: [], toRaise: [] };
  const unchanged = await unchangedBudgets(evaluation);
  const current = reached.filter(({ id }) => unchanged.has(id));
  return {
    holding: current.flatMap(({ drafts }) => drafts),
    toRaise: current.flatMap(({ drafts }) => drafts.slice(0, 1)),
  };
}

/**
 * Spend is read after the settings, so it may include calls made after a budget was paused, raised or reset. A budget
 * that has changed since is judged by its new settings at the next refresh.
 */
async function unchangedBudgets({ control, scope, settings }: ScopeEvaluation): Promise<Set<string>> {
  const rows = await control.db.selectFrom("budgets").selectAll().where(inScope(scope)).execute();
  const current = new Map(rows.map(row => [row.id, row]));
  const unchanged = settings.budgets.filter(row => isDeepStrictEqual(row, current.get(row.id)));
  return new Set(unchanged.map(({ id }) => id));
}
