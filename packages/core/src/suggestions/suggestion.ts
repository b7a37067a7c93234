import type { ModelFacts } from "../models/model-facts.ts";
import { formatDollars } from "../money/format-dollars.ts";
import { MICROCENTS_PER_CENT } from "../money/money.ts";
import { volumeConfidence } from "../statistics/volume-confidence.ts";
import { MONTH_DAYS } from "../time/observed-days.ts";
import { type AgentObservation, total } from "./agent-observation.ts";
import type { OptimizationType, SuggestionType } from "./suggestion-types.ts";

/** As returned by the API, with its field names. */
export interface Suggestion {
  readonly type: SuggestionType;
  readonly title: string;
  readonly description: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly impact_monthly_cents: number;
  readonly savings_pct: number | null;
  readonly confidence: number;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly caveat: string | null;
  readonly one_click: boolean;
  readonly implementation: {
    readonly endpoint: string;
    readonly payload: {
      readonly optimization_type: OptimizationType;
      readonly payload: Readonly<Record<string, unknown>>;
    };
  } | null;
}

/** One kind of suggestion, independent of the others; overlaps are resolved when they are added up. */
export interface SuggestionKind {
  readonly type: SuggestionType;
  suggest(agent: AgentObservation, models: ModelChoice): Suggestion | null;
}

/** Possible substitutes for a model. */
export type ModelChoice = readonly ModelFacts[];

interface Draft {
  readonly type: SuggestionType;
  readonly title: string;
  readonly description: (monthly: string) => string;
  /** Over the observed days. */
  readonly savedMicrocents: bigint;
  /** The maximum confidence, however much was observed. */
  readonly atBest: number;
  /** The calls that it is based on. */
  readonly calls: number;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly caveat: string | null;
  /** Settings for the gateway; null: it cannot apply it. */
  readonly apply: {
    readonly type: OptimizationType;
    readonly payload: Readonly<Record<string, unknown>>;
  } | null;
}

export function suggestion(agent: AgentObservation, draft: Draft): Suggestion {
  const saved = Number(draft.savedMicrocents);
  const cost = total(agent, model => model.cost_microcents);
  const monthly = Math.round((saved * MONTH_DAYS) / agent.observedDays);
  return {
    type: draft.type,
    title: draft.title,
    description: draft.description(formatDollars(monthly)),
    agent_id: agent.agentId,
    agent_name: agent.name,
    impact_monthly_cents: monthly / MICROCENTS_PER_CENT,
    savings_pct: cost === 0 ? null : Math.round((saved / cost) * 1000) / 10,
    confidence: confidenceOf(draft.atBest, draft.calls, agent.observedDays),
    evidence: {
      observed_days: agent.observedDays,
      cost_microcents: cost,
      saved_microcents: saved,
      ...draft.evidence,
    },
    caveat: draft.caveat,
    one_click: draft.apply !== null,
    implementation:
      draft.apply === null
        ? null
        : {
            endpoint: `POST /api/agents/${agent.agentId}/optimizations`,
            payload: { optimization_type: draft.apply.type, payload: draft.apply.payload },
          },
  };
}

/** By volume and time: a hundred calls in one afternoon say less about a month than calls spread over a month. */
function confidenceOf(atBest: number, calls: number, days: number): number {
  return Math.round(volumeConfidence(calls, atBest) * (days / (days + 1)) * 100) / 100;
}
