import { scanLeaks } from "@tollgate/core/leaks/scan-leaks";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { openStatuses } from "../experiments/experiment-row.ts";
import type { ScopedControl } from "../kernel/context.ts";
import { readScan } from "../leaks/read-scan.ts";
import { makeSuggestions } from "../suggestions/make-suggestions.ts";
import { draftProposals } from "./draft-proposals.ts";
import { storeProposals } from "./store-proposals.ts";

/** From the present suggestions, leak checks and verdicts of one organization and mode. */
export async function makeProposals(context: ScopedControl): Promise<void> {
  const { db, scope } = context;
  const [{ suggestions }, { scan }, verdicts, experiments] = await Promise.all([
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
  ]);
  const drafts = draftProposals({
    now: context.now(),
    suggestions,
    findings: scanLeaks(scan),
    verdicts,
    agentsWithExperiment: new Set(experiments.map(({ agent_id }) => agent_id)),
  });
  await storeProposals(context, scope, drafts);
}
