import { worstCost } from "@tollgate/core/budgets/estimate";
import { periodSpan } from "@tollgate/core/budgets/period";
import { maxOutputTokens } from "@tollgate/core/models/max-output";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import { DAY_MS } from "@tollgate/core/time/durations";
import { usageOfModel } from "@tollgate/storage/read-model/reading/usage-of-model";
import type { Control } from "../../kernel/context.ts";
import type { Progress } from "./progress.ts";
import { readPlan } from "./register-trial.ts";
import type { RequestRow } from "./request-row.ts";

/** No call of a pair has been seen for this long… */
const SILENT_MS = 600_000;
/** …although about this many should have begun. */
const MISSED_PAIRS = 50;
/** The largest request that is sampled; a text token has at least one byte. A judge is sent both answers with it. */
const MAX_PROMPT_TOKENS = 3 * 256 * 1024;

/**
 * Whether the remaining spend is too little for another pair. The gateway reserves the worst case of each call, many
 * times its mean cost, and a refused call leaves no event. So it is inferred: expected pairs are missing while the
 * remaining spend may be too little for one.
 */
export async function isUnaffordable(
  { db, engine, catalogue, readModel }: Pick<Control, "db" | "engine" | "catalogue" | "readModel">,
  request: RequestRow,
  { spentMicrocents }: Pick<Progress, "spentMicrocents">,
  now: number,
): Promise<boolean> {
  const bound = { id: request.id, since: request.created_at, period: periodSpan("lifetime", now).id };
  const spend = (await readModel.budgetSpend([bound])).get(request.id);
  // Amounts that the gateway withholds for estimated costs are not available either.
  const withheld = spend === undefined ? 0 : spend.withheldMicrocents;
  const left = request.max_spend_microcents - spentMicrocents - withheld;
  if (left >= worstCall(request, catalogue, now)) return false;
  const progress = await db
    .selectFrom("verification_progress")
    .select("updated_at")
    .where("request_id", "=", request.id)
    .executeTakeFirst();
  const { max_days } = await readPlan(db, request.id);
  const startedAt = request.expires_at - max_days * DAY_MS;
  const silentSince = Math.max(startedAt, progress?.updated_at ?? 0);
  if (now - silentSince < SILENT_MS) return false;
  const { org_id, mode, agent_id, prod_provider, prod_model } = request;
  const { calls } = await usageOfModel(
    db,
    engine,
    { orgId: org_id, mode },
    { agentId: agent_id, provider: prod_provider, model: prod_model },
    { from: silentSince + 1, to: now + 1 },
  );
  return (calls * request.share_pct) / 100 >= MISSED_PAIRS;
}

/** The maximum cost of a pair's call; Infinity: one of its models currently has no price. */
function worstCall(request: RequestRow, catalogue: Catalogue, now: number): number {
  const costs = [
    [request.prod_provider, request.prod_model],
    [request.candidate_provider, request.candidate_model],
    [request.judge_provider, request.judge_model],
  ].map(([provider, model]) => {
    if (!provider || !model || !isProviderId(provider)) return Infinity;
    const window = catalogue.find(provider, model)?.contextWindow ?? MAX_PROMPT_TOKENS;
    const inputTokens = Math.min(MAX_PROMPT_TOKENS, window);
    const cards = catalogue.dearestCards(provider, model, new Date(now), inputTokens);
    const output = maxOutputTokens(provider, model);
    return cards.length === 0
      ? Infinity
      : Math.max(...cards.map(card => worstCost({ inputTokens, toolUses: 0 }, output, card)));
  });
  return Math.max(...costs);
}
