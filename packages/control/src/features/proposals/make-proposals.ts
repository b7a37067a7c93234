import { scanLeaks } from "@tollgate/core/leaks/scan-leaks";
import { daysBeforeToday, historyWindow } from "@tollgate/core/limits/history-window";
import { tiers } from "@tollgate/core/limits/tiers";
import { MAX_DAYS } from "@tollgate/core/verification/estimator-eligibility";
import { builtInPolicies } from "@tollgate/core/verification/trial-plan";
import { dailyCalls, volumeVersusPower } from "@tollgate/core/verification/volume-versus-power";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { ScopedControl } from "../../kernel/context.ts";
import { openStatuses } from "../experiments/experiment-row.ts";
import { readScan } from "../leaks/read-scan.ts";
import { listedName } from "../models/listed-name.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";
import { draftProposals } from "./draft-proposals.ts";
import { storeProposals } from "./store-proposals.ts";

const [policy] = builtInPolicies;

/** From the current suggestions, leak checks and verdicts of one organization and mode. */
export async function makeProposals(context: ScopedControl): Promise<void> {
  const { db, scope, readModel, organization } = context;
  const now = context.now();
  const window = historyWindow({ to: now + 1 }, organization.tier, now);
  const [{ suggestions }, { scan }, verdicts, experiments, fewCalls, outcomes, budgets] = await Promise.all([
    makeSuggestions(context, {}),
    readScan(context),
    db
      .selectFrom("verdicts")
      .selectAll()
      .where(inScope(scope))
      .where("task_category", "is", null)
      .orderBy("concluded_at", "desc")
      .orderBy("id", "desc")
      .execute(),
    db
      .selectFrom("experiments")
      .select("agent_id")
      .where(inScope(scope))
      .where("status", "in", openStatuses)
      .execute(),
    agentsWithFewCalls(context),
    readModel.outcomesByAgent(scope, window),
    db
      .selectFrom("budgets")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where(inScope(scope))
      .executeTakeFirstOrThrow(),
  ]);
  const drafts = draftProposals({
    now: context.now(),
    suggestions,
    findings: scanLeaks(scan),
    verdicts,
    listedName: model => listedName(context, model),
    agentsWithExperiment: new Set(experiments.map(({ agent_id }) => agent_id)),
    agentsWithFewCalls: fewCalls,
    agentsWithOutcomes: new Set(outcomes.map(({ agent_id }) => agent_id)),
    mayAddBudget: Number(budgets.count) < tiers[organization.tier].budgets,
  });
  await storeProposals(context, scope, drafts);
}

/** With the default policy. An agent without a full day of calls may still turn out to have enough. */
async function agentsWithFewCalls({ readModel, scope, organization, now }: ScopedControl) {
  const days = daysBeforeToday(historyWindow({ to: now() + 1 }, organization.tier, now()), now());
  const volumes = await readModel.agentVolumes(scope, days);
  return new Set(
    volumes.flatMap(agent => {
      const { callsPerDay, daysToVerdict } = volumeVersusPower(dailyCalls(agent, days), policy);
      const isEnough = callsPerDay === null || (daysToVerdict !== null && daysToVerdict.value <= MAX_DAYS);
      return isEnough ? [] : [agent.agent_id];
    }),
  );
}
