import { plainName } from "@tollgate/core/alerts/plain-name";
import { type HistoryWindow, historyWindow, wholeDays } from "@tollgate/core/limits/history-window";
import { modelFacts } from "@tollgate/core/models/model-facts";
import { isProviderId } from "@tollgate/core/provider-id";
import type { AgentObservation, ModelObservation } from "@tollgate/core/suggestions/agent-observation";
import type { OptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { DAY_MS } from "@tollgate/core/time/durations";
import { observedDays } from "@tollgate/core/time/observed-days";
import { fromRow } from "@tollgate/storage/database/from-row";
import { outputEnds } from "@tollgate/storage/database/output-histogram";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { AgentModelProfile } from "@tollgate/storage/profile/profile-queries";
import type { ScopedControl } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import { examinedAgents } from "../agents/examined-agents.ts";
import { agentSettingsOf } from "../agents/settings.ts";
import { type Agent, toAgent } from "../agents/to-agent.ts";
import { readWorseModels, type WorseModels } from "./worse-models.ts";

export interface ObservedAgents {
  readonly window: HistoryWindow;
  readonly agents: readonly AgentObservation[];
  /** Agents that were not examined, because others cost more. */
  readonly leftOut: number;
}

type InForce = AgentObservation["appliedOptimizations"];

/** The organization's agents, or one of them, as input for suggestions. */
export async function observeAgents(
  context: ScopedControl,
  asked: {
    readonly agentId?: string | undefined;
    readonly days?: number | undefined;
    readonly period_days?: number | undefined;
  },
): Promise<ObservedAgents> {
  const now = context.now();
  const window = wholeDays(historyWindow(asked, context.organization.tier, now));
  const { records, leftOut } = await examinedAgents(context, window, asked.agentId);
  const ids = records.map(({ id }) => id);
  const [settings, profiles, inForce, worseModelsOf] = await Promise.all([
    agentSettingsOf(context, ids),
    context.profile.agentModels(context.scope, window, ids),
    readInForce(context, asked.agentId),
    readWorseModels(context, now),
  ]);
  const byAgent = Map.groupBy(profiles, profile => profile.agent_id);
  return {
    window,
    leftOut,
    agents: records.map(record =>
      observe(
        context,
        toAgent(context, record, settings.get(record.id)),
        byAgent.get(record.id) ?? [],
        inForce.get(record.id) ?? new Map(),
        worseModelsOf,
        { from: window.from, now },
      ),
    ),
  };
}

function observe(
  context: ScopedControl,
  agent: Agent,
  profiles: readonly AgentModelProfile[],
  inForce: InForce,
  worseModelsOf: WorseModels,
  period: { readonly from: number; readonly now: number },
): AgentObservation {
  const { now } = period;
  const { background, is_background: isBackground } = agent.metadata;
  // Ingested calls may be older than the agent, which was created when they arrived.
  const firstAt = Math.min(Date.parse(agent.created_at), ...profiles.map(profile => profile.first_day));
  const models = profiles.map(profile => toModel(context, profile, new Date(now)));
  return {
    agentId: agent.id,
    name: plainName(agent.name),
    isBackground: background === true || isBackground === true,
    isArchived: agent.status === "archived",
    observedDays: observedDays(period, firstAt),
    silentDays: agent.last_call_at === null ? null : (now - Date.parse(agent.last_call_at)) / DAY_MS,
    models,
    appliedOptimizations: inForce,
    worseModels: worseModelsOf(agent.id, new Set(models.map(({ facts, model }) => facts?.id ?? model))),
  };
}

function toModel({ catalogue }: ScopedControl, profile: AgentModelProfile, at: Date): ModelObservation {
  const { provider, model } = profile;
  return {
    ...profile,
    facts: isProviderId(provider) ? modelFacts(catalogue, provider, model, at) : null,
    outputs: profile.outputs.map((calls, index) => ({ below: outputEnds[index] ?? null, calls })),
  };
}

async function readInForce(
  { db, scope }: ScopedControl,
  agentId: string | undefined,
): Promise<ReadonlyMap<string, InForce>> {
  const rows = await db
    .selectFrom("optimizations")
    .select(["id", "agent_id", "optimization_type", "payload"])
    .where(inScope(scope))
    .where("undone_at", "is", null)
    .$if(agentId !== undefined, query => query.where("agent_id", "=", agentId ?? ""))
    .execute();
  const byAgent = new Map<string, Map<OptimizationType, Record<string, unknown>>>();
  for (const row of rows) {
    const { agent_id, optimization_type, payload } = fromRow("optimizations", row);
    const known = byAgent.get(agent_id) ?? new Map<OptimizationType, Record<string, unknown>>();
    byAgent.set(agent_id, known.set(optimization_type, readMetadata(payload)));
  }
  return byAgent;
}
