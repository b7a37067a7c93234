import type { Budget } from "@tollgate/core/budgets/budget";
import type { Mode } from "@tollgate/core/event";
import { type Microcents, microcents } from "@tollgate/core/money/money";
import { isProviderId } from "@tollgate/core/provider-id";
import type { Target } from "@tollgate/core/steering";

/** A verification that samples an agent's calls, as the gateway needs it. */
export interface RunningVerification {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  /** null: every agent that calls the production model. */
  readonly agentKey: string | null;
  readonly production: Target;
  readonly candidate: Target;
  readonly judge: Target;
  /** Integer percentage of the eligible calls. */
  readonly sharePct: number;
  readonly seed: string;
  readonly maxSpendMicrocents: Microcents;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface VerificationRow {
  readonly id: string;
  readonly org_id: string;
  readonly mode: Mode;
  readonly agent_key: string | null;
  readonly prod_provider: string;
  readonly prod_model: string;
  readonly candidate_provider: string;
  readonly candidate_model: string;
  readonly judge_provider: string;
  readonly judge_model: string;
  readonly share_pct: number;
  readonly seed: string;
  readonly max_spend_microcents: number;
  readonly created_at: number;
  readonly expires_at: number;
}

export const verificationColumns = `id, org_id, mode, agent_key, prod_provider, prod_model, candidate_provider,
  candidate_model, judge_provider, judge_model, share_pct, seed, max_spend_microcents, created_at, expires_at`;

export function toVerification(row: VerificationRow): RunningVerification {
  return {
    id: row.id,
    orgId: row.org_id,
    mode: row.mode,
    agentKey: row.agent_key,
    production: targetOf(row.prod_provider, row.prod_model),
    candidate: targetOf(row.candidate_provider, row.candidate_model),
    judge: targetOf(row.judge_provider, row.judge_model),
    sharePct: row.share_pct,
    seed: row.seed,
    maxSpendMicrocents: microcents(row.max_spend_microcents),
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  };
}

/** A verification's spending limit, as a strict budget over its own calls: concurrent pairs cannot exceed it either. */
export function spendBound(verification: RunningVerification): Budget {
  return {
    id: verification.id,
    orgId: verification.orgId,
    mode: verification.mode,
    agentKey: null,
    keyId: null,
    customerId: null,
    verificationId: verification.id,
    period: "lifetime",
    limitMicrocents: verification.maxSpendMicrocents,
    enforcement: "hard_block",
    isStrict: true,
    allowsUnpriced: false,
    isPaused: false,
    sinceMs: verification.createdAtMs,
    blockingSinceMs: null,
  };
}

function targetOf(provider: string, model: string): Target {
  if (!isProviderId(provider)) throw new Error(`a verification names the unknown provider ${provider}`);
  return { provider, model };
}
