import type { Credit } from "@tollgate/core/attribution/credit-outcomes";
import { netValueCents, roiMultiplier } from "@tollgate/core/attribution/roi";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import type { AgentTotals } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Window } from "@tollgate/storage/read-model/window";
import { errorRate } from "../../kernel/averages.ts";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { effectiveDays, toPeriod } from "../../kernel/to-period.ts";
import { agentNames } from "../agents/agent-names.ts";
import { readCredits } from "../outcomes/read-credits.ts";

type Line = OutputOf<Operations["roi_audit.get"]>["agents"][number];

const HIGH_ERROR_RATE = 0.1;

export const roiAuditGet: Handler<"roi_audit.get"> = async (context, input) => {
  const window = historyWindow({ days: input.days }, context.organization.tier, context.now());
  const { readModel, scope } = context;
  const chosen = await chosenAgents(context, input.agent_ids);
  const among = chosen === undefined ? {} : { agentIds: chosen };
  const [shown, allCredited, used, totalAgents] = await Promise.all([
    readModel.agentsByCost(scope, window, { limit: input.limit, offset: input.offset, ...among }),
    readCredits(context, window),
    usedBy(context, window, chosen),
    chosen?.length ?? readModel.countAgents(scope, context.now(), {}),
  ]);
  const isChosen = new Set(chosen);
  const credits = allCredited.byAgent.filter(({ agentId }) => chosen === undefined || isChosen.has(agentId));
  const silent = await silentAgents(context, window, credits, chosen);
  const creditOf = new Map(credits.map(line => [line.agentId, line]));
  const names = await agentNames(
    context,
    shown.map(({ agent_id }) => ({ agentId: agent_id })),
  );
  const lines = shown.map((used): Line => {
    const credit = creditOf.get(used.agent_id);
    const cost = used.cost_microcents;
    const rate = errorRate(used);
    const value = credit?.valueCents ?? 0;
    const revenue = credit?.revenueCents ?? 0;
    return {
      agent_id: used.agent_id,
      agent_name: names.get(used.agent_id) ?? used.agent_key,
      call_count: used.calls,
      error_rate: rate,
      cost_microcents: cost,
      cost_cents: cost / MICROCENTS_PER_CENT,
      unpriced_calls: used.unpriced_calls,
      outcome_count: credit?.outcomes ?? 0,
      failed_count: credit?.failed ?? 0,
      value_cents: value,
      revenue_cents: revenue,
      roi_multiplier: roiMultiplier(revenue, cost),
      risk_flags: [
        ...(used.calls === 0 ? ["no_calls" as const] : []),
        ...(cost > 0 && credit === undefined ? ["no_outcomes" as const] : []),
        ...(credit !== undefined && value * MICROCENTS_PER_CENT < cost ? ["negative_roi" as const] : []),
        ...(rate > HIGH_ERROR_RATE ? ["high_error_rate" as const] : []),
      ],
    };
  });
  const cost = used.cost_microcents;
  const sum = (pick: (credit: Credit) => number) =>
    credits.reduce((total, credit) => total + pick(credit), 0);
  const revenue = sum(({ revenueCents }) => revenueCents);
  return {
    generated_at: toIsoTime(context.now()),
    period_days: effectiveDays(window),
    period: toPeriod(window),
    fleet_summary: {
      total_agents: totalAgents,
      total_calls: used.calls,
      total_cost_microcents: cost,
      total_cost_cents: cost / MICROCENTS_PER_CENT,
      unpriced_calls: used.unpriced_calls,
      total_outcomes: sum(({ outcomes }) => outcomes),
      failed_outcomes: sum(({ failed }) => failed),
      total_revenue_cents: revenue,
      other_value_cents: sum(({ valueCents }) => valueCents) - revenue,
      net_value_cents: netValueCents(revenue, cost),
      net_roi_multiplier: roiMultiplier(revenue, cost),
    },
    agents: lines,
    methodology: input.include_methodology ? methodology : null,
    caveats: caveatsOf(
      { unpriced: used.unpriced_calls, silent, agents: totalAgents },
      allCredited.unattributed,
      chosen === undefined,
    ),
  };
};

const methodology = [
  "Cost is the sum of the period's events in the ledger, in microcents, including later re-ratings; test traffic is separate.",
  "An outcome counts in the period in which it was reported, at its reported value, or as 0 if it has none. A refund is a negative value.",
  "Revenue is the value of outcomes of type revenue; outcomes of another type or without one are other value. A failed outcome is worth nothing.",
  "Each outcome is credited in full to one agent: the one it names, or the one of its event, otherwise the last agent to call in its session before it.",
  "The multiplier is revenue ÷ cost, and null if nothing was spent. An agent is flagged negative_roi if its total value is below its cost.",
];

interface Fleet {
  readonly unpriced: number;
  /** Agents with cost and no outcome. */
  readonly silent: number;
  readonly agents: number;
}

interface Unattributed {
  readonly outcomes: number;
  readonly valueCents: number;
}

function caveatsOf(
  { unpriced, silent, agents }: Fleet,
  unattributed: Unattributed,
  isFleet: boolean,
): string[] {
  return [
    ...(unpriced > 0
      ? [
          unpriced === 1
            ? "1 call has no known price: its cost is missing here, which makes the multipliers too high."
            : `${unpriced} calls have no known price: their cost is missing here, which makes the multipliers too high.`,
        ]
      : []),
    ...(silent > 0 ? [silentSentence(silent, agents)] : []),
    ...(isFleet && unattributed.outcomes > 0 ? [unattributedSentence(unattributed)] : []),
  ];
}

function silentSentence(silent: number, agents: number): string {
  const counted = `${silent} of ${agents} ${agents === 1 ? "agent" : "agents"}`;
  return silent === 1
    ? `${counted} costs money but has no reported outcome.`
    : `${counted} cost money but have no reported outcomes.`;
}

function unattributedSentence({ outcomes, valueCents }: Unattributed): string {
  const worth = `worth ${valueCents} ${Math.abs(valueCents) === 1 ? "cent" : "cents"}`;
  return outcomes === 1
    ? `1 outcome ${worth} names no agent and is not included here.`
    : `${outcomes} outcomes ${worth} name no agent and are not included here.`;
}

/** Usage of the whole fleet, or of the selected agents. */
async function usedBy({ readModel, scope }: Context, window: Window, chosen: readonly string[] | undefined) {
  if (chosen === undefined) return (await readModel.usage(scope, window)).totals;
  const lines = await readModel.agentsByCost(scope, window, { limit: chosen.length, agentIds: chosen });
  const sum = (pick: (line: AgentTotals) => number) => lines.reduce((total, line) => total + pick(line), 0);
  return {
    calls: sum(line => line.calls),
    cost_microcents: sum(line => line.cost_microcents),
    unpriced_calls: sum(line => line.unpriced_calls),
  };
}

async function silentAgents(
  { readModel, scope }: Context,
  window: Window,
  credits: readonly { readonly agentId: string }[],
  chosen: readonly string[] | undefined,
): Promise<number> {
  const credited = credits.map(({ agentId }) => agentId);
  const [spending, creditedSpending] = await Promise.all([
    readModel.spendingAgents(scope, window, chosen),
    credited.length === 0 ? 0 : readModel.spendingAgents(scope, window, credited),
  ]);
  return spending - creditedSpending;
}

/** The named agents; undefined: all. An unknown id is an error, because skipping it would report a smaller sum. */
async function chosenAgents(context: Context, ids: string | undefined): Promise<string[] | undefined> {
  if (ids === undefined) return undefined;
  const wanted = new Set(
    ids
      .split(",")
      .map(id => id.trim())
      .filter(id => id !== ""),
  );
  const found = await context.readModel.agentsById(context.scope, context.now(), [...wanted]);
  if (found.length < wanted.size) throw notFound("agent");
  return [...wanted];
}
