import { netValueCents, roiMultiplier } from "@tollgate/core/attribution/roi";
import { toIsoTime } from "@tollgate/core/contract/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { roiAuditGet as operation } from "@tollgate/core/contract/roi-audit-get";
import { historyWindow } from "@tollgate/core/history-window";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money";
import type { Context } from "../context.ts";
import { errorRate } from "./averages.ts";
import { effectiveDays } from "./effective-days.ts";
import type { Handler } from "./handler.ts";
import { listAgents } from "./list-agents.ts";
import { notFound } from "./not-found.ts";
import { readCredits } from "./read-credits.ts";
import type { Agent } from "./to-agent.ts";
import { toPeriod } from "./to-period.ts";

type Line = OutputOf<typeof operation>["agents"][number];

const HIGH_ERROR_RATE = 0.1;

export const roiAuditGet: Handler<typeof operation> = async (context, input) => {
  const window = historyWindow({ days: input.days }, context.organization.tier, context.now());
  const [agents, usage, credited] = await Promise.all([
    chosenAgents(context, input.agent_ids),
    context.readModel.usageByAgent(context.scope, window),
    readCredits(context, window, "value"),
  ]);
  const usageOf = new Map(usage.map(line => [line.agent_id, line]));
  const creditOf = new Map(credited.byAgent.map(line => [line.agentId, line]));
  const lines = agents.map((agent): Line => {
    const used = usageOf.get(agent.id);
    const credit = creditOf.get(agent.id);
    const cost = used?.cost_microcents ?? 0;
    const rate = used === undefined ? 0 : errorRate(used);
    const value = credit?.valueCents ?? 0;
    return {
      agent_id: agent.id,
      agent_name: agent.name,
      call_count: used?.calls ?? 0,
      error_rate: rate,
      cost_microcents: cost,
      cost_cents: cost / MICROCENTS_PER_CENT,
      unpriced_calls: used?.unpriced_calls ?? 0,
      outcome_count: credit?.outcomes ?? 0,
      value_cents: value,
      roi_multiplier: roiMultiplier(value, cost),
      risk_flags: [
        ...(used === undefined || used.calls === 0 ? ["no_calls" as const] : []),
        ...(cost > 0 && credit === undefined ? ["no_outcomes" as const] : []),
        ...(credit !== undefined && value * MICROCENTS_PER_CENT < cost ? ["negative_roi" as const] : []),
        ...(rate > HIGH_ERROR_RATE ? ["high_error_rate" as const] : []),
      ],
    };
  });
  const sum = (pick: (line: Line) => number) => lines.reduce((total, line) => total + pick(line), 0);
  const cost = sum(line => line.cost_microcents);
  const value = sum(line => line.value_cents);
  return {
    generated_at: toIsoTime(context.now()),
    period_days: effectiveDays(window),
    period: toPeriod(window),
    fleet_summary: {
      total_agents: lines.length,
      total_calls: sum(line => line.call_count),
      total_cost_microcents: cost,
      total_cost_cents: cost / MICROCENTS_PER_CENT,
      unpriced_calls: sum(line => line.unpriced_calls),
      total_outcomes: sum(line => line.outcome_count),
      total_revenue_cents: value,
      net_value_cents: netValueCents(value, cost),
      net_roi_multiplier: roiMultiplier(value, cost),
    },
    agents: lines.toSorted((a, b) => b.cost_microcents - a.cost_microcents),
    methodology: input.include_methodology ? methodology : null,
    caveats: caveatsOf(lines, credited.unattributed, input.agent_ids === undefined),
  };
};

const methodology = [
  "Cost is the sum of the ledger's events of the period, in microcents, with later re-ratings; test traffic is apart.",
  "An outcome counts in the period in which it was reported, at the value it was reported with; without one it counts as 0.",
  "It is credited whole and once: to the agent that it names (or the agent of its event), else to the agent that called last in its session before it.",
  "The multiplier is value ÷ cost; it is null where nothing was spent.",
];

function caveatsOf(
  lines: readonly Line[],
  unattributed: { readonly outcomes: number; readonly valueCents: number },
  isFleet: boolean,
): string[] {
  const unpriced = lines.reduce((total, line) => total + line.unpriced_calls, 0);
  const silent = lines.filter(line => line.risk_flags.includes("no_outcomes")).length;
  return [
    ...(unpriced > 0
      ? [
          unpriced === 1
            ? "1 call has no known price: it is in no cost here, and the multipliers are too high by it."
            : `${unpriced} calls have no known price: they are in no cost here, and the multipliers are too high by them.`,
        ]
      : []),
    ...(silent > 0 ? [`${silent} of ${lines.length} agents cost money and have no outcome reported.`] : []),
    ...(isFleet && unattributed.outcomes > 0
      ? [
          `${unattributed.outcomes} outcomes worth ${unattributed.valueCents} cents name no agent and are in no sum here.`,
        ]
      : []),
  ];
}

/** All that are named, or everybody. One that is not there is an error: a sum without it would be another sum. */
async function chosenAgents(context: Context, ids: string | undefined): Promise<Agent[]> {
  const agents = await listAgents(context);
  if (ids === undefined) return agents;
  const wanted = new Set(
    ids
      .split(",")
      .map(id => id.trim())
      .filter(id => id !== ""),
  );
  const found = agents.filter(({ id }) => wanted.has(id));
  if (found.length < wanted.size) throw notFound("agent");
  return found;
}
