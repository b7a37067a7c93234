import type { Credit } from "@tollgate/core/attribution/credit-outcomes";
import { netValueCents, roiMultiplier } from "@tollgate/core/attribution/roi";
import type { roiOperations } from "@tollgate/core/contract/roi";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { averageCostMicrocents } from "../../kernel/averages.ts";
import { byModelName } from "../../kernel/by-model-name.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { effectiveDays, toPeriod } from "../../kernel/to-period.ts";
import { agentNames } from "../agents/agent-names.ts";
import { findAgent } from "../agents/find-agent.ts";
import { agentSettings } from "../agents/settings.ts";
import { readCredits } from "../outcomes/read-credits.ts";
import { roiAuditGet } from "./roi-audit-get.ts";
import { upgradeJustificationGet } from "./upgrade-justification-get.ts";

const TOP = 5;
const MAX_AGENTS = 200;

export const roiHandlers: Handlers<typeof roiOperations> = {
  "agents.roi": async (context, { id, days }) => {
    const agent = await findAgent(context, id);
    const window = historyWindow({ days }, context.organization.tier, context.now());
    const [{ totals, byModel }, credited, settings] = await Promise.all([
      context.readModel.usage(context.scope, window, agent.id),
      readCredits(context, window, "direct", agent.id),
      agentSettings(context, agent.id),
    ]);
    return {
      agent_id: agent.id,
      agent_name: settings?.name ?? agent.agent_key,
      period_days: effectiveDays(window),
      period: toPeriod(window),
      costs: {
        call_count: totals.calls,
        total_microcents: totals.cost_microcents,
        unpriced_calls: totals.unpriced_calls,
        avg_per_request_microcents: averageCostMicrocents(totals),
        by_model: byModelName(byModel).map(line => ({ model: line.model, ...toCostSums(line) })),
      },
      outcomes: {
        count: credited.outcomes,
        failed_count: credited.failed,
        total_value_cents: credited.valueCents,
        revenue_cents: credited.revenueCents,
        by_type: credited.byType.map(({ outcomeType, outcomes, failed, valueCents }) => ({
          outcome_type: outcomeType,
          count: outcomes,
          failed_count: failed,
          value_cents: valueCents,
        })),
      },
      net_value_cents: netValueCents(credited.revenueCents, totals.cost_microcents),
      roi_multiplier: roiMultiplier(credited.revenueCents, totals.cost_microcents),
    };
  },

  "attribution.get": async (context, { agent_id, days, model }) => {
    if (agent_id !== undefined) await findAgent(context, agent_id);
    const window = historyWindow({ days }, context.organization.tier, context.now());
    const credited = await readCredits(context, window, model, agent_id ?? null);
    const agents = credited.byAgent.slice(0, MAX_AGENTS);
    const names = await agentNames(context, [
      ...agents,
      ...credited.byType.flatMap(({ credits }) => credits.slice(0, TOP)),
    ]);
    const shown = ({ agentId, outcomes, valueCents, revenueCents }: Credit) => ({
      agent_id: agentId,
      agent_name: names.get(agentId) ?? agentId,
      outcome_count: outcomes,
      contribution_value_cents: valueCents,
      revenue_cents: revenueCents,
    });
    return {
      agent_id: agent_id ?? null,
      period_days: effectiveDays(window),
      period: toPeriod(window),
      model,
      total_outcomes: credited.outcomes,
      failed_outcomes: credited.failed,
      total_value_cents: credited.valueCents,
      total_revenue_cents: credited.revenueCents,
      unattributed: {
        outcome_count: credited.unattributed.outcomes,
        value_cents: credited.unattributed.valueCents,
        revenue_cents: credited.unattributed.revenueCents,
      },
      outcomes: credited.byType.map(({ outcomeType, outcomes, failed, valueCents, credits }) => ({
        outcome_type: outcomeType,
        count: outcomes,
        failed_count: failed,
        value_cents: valueCents,
        top_attributions: credits.slice(0, TOP).map(shown),
      })),
      agents: agents.map(shown),
      agent_count: credited.byAgent.length,
    };
  },

  "roi_audit.get": roiAuditGet,
  "upgrade_justification.get": upgradeJustificationGet,
};
