import { type Microcents, microcents } from "../money/money.ts";
import type { ProviderId } from "../provider-id.ts";
import { DAY_MS } from "../time/durations.ts";
import type { EvidenceMode } from "./vocabulary.ts";

/** An organization's settings for its verifications. */
export interface VerificationPolicy {
  readonly name: string;
  /** How much lower the mean score may be, in multiples of 0.01. */
  readonly margin: number;
  readonly max_pairs: number;
  /** For shadow and judge calls together. */
  readonly max_spend_microcents: Microcents;
  /** Share of the agent's eligible calls. */
  readonly sample_share: number;
  /** `provider/model`; null: the strongest model of the caller's provider. */
  readonly judge_model: string | null;
  readonly evidence_mode: EvidenceMode;
}

const forAll = { judge_model: null, evidence_mode: "shadow" } as const;

/** Every organization has these; the first is the default. */
export const builtInPolicies: readonly [VerificationPolicy, ...VerificationPolicy[]] = [
  {
    ...forAll,
    name: "quick",
    margin: 0.1,
    max_pairs: 500,
    max_spend_microcents: microcents(250_000_000),
    sample_share: 0.5,
  },
  {
    ...forAll,
    name: "standard",
    margin: 0.05,
    max_pairs: 2000,
    max_spend_microcents: microcents(1_000_000_000),
    sample_share: 0.25,
  },
];

/** What is compared. */
export interface TrialSubject {
  /** null: all agents that call the production model. */
  readonly agent_id: string | null;
  readonly prod_provider: ProviderId;
  readonly prod_model: string;
  readonly candidate_provider: ProviderId;
  readonly candidate_model: string;
}

/**
 * Everything that a verdict depends on, fixed before the first pair. Its hash is stored and shown, so nobody can choose
 * the margin, the judge or the end after seeing the results. Field names are those on the wire.
 */
export interface TrialPlan extends TrialSubject, Omit<VerificationPolicy, "name" | "judge_model"> {
  /** The experiment whose outcomes are the evidence; null: pairs are. */
  readonly experiment_id: string | null;
  readonly regime: "non_inferiority";
  readonly primary_metric: "mean_score";
  readonly method: "betting_cs";
  /** `provider/model`; null: each caller's provider has its own default judge, or none is needed. */
  readonly judge_model: string | null;
  /** One-sided. */
  readonly alpha: number;
  readonly power: number;
  readonly min_pairs: number;
  readonly max_days: number;
  /** One pair in this many is a control: the production model compared with itself. */
  readonly control_every: number;
  /** How far the mean of controls may be from 0 before the judge counts as biased, in multiples of 0.01. */
  readonly control_limit: number;
  /** A session's pairs within this time of its first one count as one value. */
  readonly session_window_ms: number;
  /** Determines which calls are sampled. */
  readonly seed: string;
}

/** Pairs of a session later than this after its first one are not counted. */
export const SESSION_WINDOW_MS = 1_800_000;

/** See `control_every`. */
export const CONTROL_EVERY = 10;

const fixed = {
  regime: "non_inferiority",
  primary_metric: "mean_score",
  method: "betting_cs",
  alpha: 0.05,
  power: 0.8,
  min_pairs: 50,
  max_days: 14,
  control_every: CONTROL_EVERY,
  control_limit: 0.05,
  session_window_ms: SESSION_WINDOW_MS,
} as const;

export function planTrial(
  subject: TrialSubject & { readonly experiment_id?: string | null },
  policy: VerificationPolicy,
  judgeModel: string | null,
  seed: string,
): TrialPlan {
  const { margin, max_pairs, max_spend_microcents, sample_share, evidence_mode } = policy;
  const { agent_id, prod_provider, prod_model, candidate_provider, candidate_model } = subject;
  return {
    ...fixed,
    ...{ agent_id, prod_provider, prod_model, candidate_provider, candidate_model },
    ...{ margin, max_pairs, max_spend_microcents, sample_share, evidence_mode },
    judge_model: policy.judge_model ?? judgeModel,
    experiment_id: subject.experiment_id ?? null,
    seed,
  };
}

/** When sampling ends, whatever is known by then. */
export function trialEndsAtMs(plan: TrialPlan, registeredAtMs: number): number {
  return registeredAtMs + plan.max_days * DAY_MS;
}
