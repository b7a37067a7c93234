import { type Envelope, envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { reportSnapshot } from "@tollgate/core/contract/reports";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { estimatedMicroDollars, microDollars } from "@tollgate/core/money/micro-dollars";
import { cleanText } from "@tollgate/core/wire/clean-text";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Totals } from "@tollgate/storage/read-model/queries/usage-queries";
import { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { type BudgetState, listBudgets } from "../budgets/read-budgets.ts";
import { type Effect, readEffects } from "../headline/read-effects.ts";
import { readHeadline } from "../headline/read-headline.ts";
import { METHODOLOGY_VERSION, methodology } from "./methodology.ts";

export type ReportSnapshot = z.infer<typeof reportSnapshot>;

const MAX_LINES = 50;
const MAX_NAME = 200;

type Sums = Pick<Totals, "calls" | "unpriced_calls" | "cost_microcents">;

/** The parts of a verdict's result that are read here. */
const result = z.object({
  pairs: z.object({ compared: envelope }),
  non_inferiority: z.object({ mean_score: envelope, margin: envelope }),
  savings: z.object({ per_call_microcents: envelope }),
});

/** The current content of a report. */
export async function freezeReport(
  context: Pick<Context, "db" | "scope" | "organization" | "readModel" | "now">,
  { title, days }: { readonly title: string; readonly days: number },
): Promise<ReportSnapshot> {
  const { readModel, scope, organization } = context;
  const now = context.now();
  const window = historyWindow({ days }, organization.tier, now);
  const [headline, usage, fleet, effects, verdicts, budgets, names, throughMs] = await Promise.all([
    readHeadline(context, window),
    readModel.usage(scope, window),
    readModel.usageByAgent(scope, window),
    readEffects(context, window),
    readVerdicts(context),
    listBudgets(context),
    readNames(context),
    readModel.followedUntil(now),
  ]);
  const { agents: byAgent, verifications } = fleet;
  const keys = new Map(byAgent.map(agent => [agent.agent_id, agent.agent_key]));
  const nameOf = (agentId: string) => plain(names.get(agentId) ?? keys.get(agentId) ?? agentId);
  const money = (amount: number) => toEnvelope({ method: "sum", value: microDollars(amount) }, throughMs);
  const exact = (amount: number) => toEnvelope({ method: "exact", value: microDollars(amount) }, throughMs);
  const unknown = toEnvelope({ method: "sum", value: null }, throughMs);
  const count = (value: number) => toEnvelope({ method: "count", value }, throughMs);
  const spend = ({ calls, unpriced_calls, cost_microcents }: Sums) => ({
    calls: count(calls),
    unpriced_calls: count(unpriced_calls),
    spend: money(cost_microcents),
  });
  const others = less(totalOf(byAgent), totalOf(byAgent.slice(0, MAX_LINES)));
  const otherModels = less(usage.totals, totalOf(usage.byModel.slice(0, MAX_LINES)));
  return {
    methodology_version: METHODOLOGY_VERSION,
    generated_at: toIsoTime(now),
    title: plain(title),
    organization: plain(organization.name),
    mode: scope.mode,
    period: toPeriod(window),
    headline,
    spend_by_agent: [
      ...byAgent.slice(0, MAX_LINES).map(agent => ({
        kind: "agent" as const,
        agent: nameOf(agent.agent_id),
        ...spend(agent),
      })),
      ...(others.calls > 0 ? [{ kind: "other_agents" as const, agent: null, ...spend(others) }] : []),
      ...(verifications.calls > 0
        ? [{ kind: "verifications" as const, agent: null, ...spend(verifications) }]
        : []),
    ],
    spend_by_model: [
      ...usage.byModel.slice(0, MAX_LINES).map(line => ({
        provider: plain(line.provider),
        model: plain(line.model),
        ...spend(line),
      })),
      ...(otherModels.calls > 0 ? [{ provider: null, model: null, ...spend(otherModels) }] : []),
    ],
    savings: effects.slice(0, MAX_LINES).map(effect => ({
      agent: nameOf(effect.agentId),
      optimization_type: effect.type,
      from_model: plain(effect.askedModel),
      to_model: effect.switchedTo === null ? null : plain(effect.switchedTo),
      applied_at: toIsoTime(effect.appliedAt),
      undone_at: effect.undoneAt === null ? null : toIsoTime(effect.undoneAt),
      calls: count(effect.calls),
      left_out_calls: count(effect.calls - effect.pricedCalls),
      saved: isKnown(effect) ? money(effect.savedMicrocents) : unknown,
    })),
    verdicts: verdicts.map(({ numbers, ...row }) => ({
      agent: row.agent_id === null ? null : nameOf(row.agent_id),
      prod_model: plain(row.prod_model),
      candidate_model: plain(row.candidate_model),
      verdict: row.verdict,
      evidence_mode: row.evidence_mode,
      pairs: numbers.pairs.compared,
      mean_score: numbers.non_inferiority.mean_score,
      margin: numbers.non_inferiority.margin,
      saving_per_call: inMicroDollars(numbers.savings.per_call_microcents),
      concluded_at: toIsoTime(row.concluded_at),
      expires_at: toIsoTime(row.expires_at),
      is_in_force: row.expires_at > now && row.invalidated_at === null,
    })),
    budgets: budgets.filter(isShared).map(({ row, span, spent, unpricedCalls }) => ({
      agent: row.agent_id === null ? null : nameOf(row.agent_id),
      period: row.period,
      enforcement_mode: row.enforcement_mode,
      is_paused: row.status === "paused",
      limit: exact(row.limit_microcents),
      spent: money(spent),
      unpriced_calls: count(unpricedCalls),
      resets_at: toIsoTime(span.endsAtMs),
    })),
    methodology: [...methodology],
  };
}

/** Without a single call whose saving could be computed, nothing is known, which is not the same as nothing saved. */
function isKnown({ calls, pricedCalls }: Effect): boolean {
  return calls === 0 || pricedCalls > 0;
}

/** Over all categories, newest first. */
async function readVerdicts({ db, scope }: Pick<Context, "db" | "scope">) {
  const rows = await db
    .selectFrom("verdicts")
    .selectAll()
    .where(inScope(scope))
    .where("task_category", "is", null)
    .orderBy("concluded_at", "desc")
    .orderBy("id", "desc")
    .limit(MAX_LINES)
    .execute();
  return rows.map(row => ({ ...fromRow("verdicts", row), numbers: result.parse(JSON.parse(row.result)) }));
}

async function readNames({ db, scope }: Pick<Context, "db" | "scope">): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("agent_settings")
    .select(["agent_id", "agent_key", "name"])
    .where(inScope(scope))
    .execute();
  return new Map(rows.map(row => [row.agent_id, row.name ?? row.agent_key]));
}

function inMicroDollars({ value, ci_low, ci_high, data_through, method }: Envelope): Envelope {
  const interval = ci_low === null || ci_high === null ? null : { low: ci_low, high: ci_high };
  const found = value === null ? null : estimatedMicroDollars(value, interval);
  return toEnvelope(
    {
      method: method === "mean_t" ? method : "paired_t",
      value: found?.value ?? null,
      interval: found?.interval ?? null,
    },
    data_through === null ? null : Date.parse(data_through),
  );
}

function totalOf(lines: readonly Sums[]): Sums {
  const sum = (of: keyof Sums) => lines.reduce((total, line) => total + line[of], 0);
  return {
    calls: sum("calls"),
    unpriced_calls: sum("unpriced_calls"),
    cost_microcents: sum("cost_microcents"),
  };
}

function less(whole: Sums, part: Sums): Sums {
  return {
    calls: whole.calls - part.calls,
    unpriced_calls: whole.unpriced_calls - part.unpriced_calls,
    cost_microcents: whole.cost_microcents - part.cost_microcents,
  };
}

/** Cleaned as tools do it, so that their cleaning does not change what was hashed. */
function plain(text: string): string {
  return cleanText(text, MAX_NAME);
}

/** Anyone with the link can read the report, so it names no key and no customer. */
function isShared({ row }: BudgetState): boolean {
  return row.key_id === null && row.customer_id === null;
}
