import type { AgentRules, Split } from "@tollgate/core/steering";

export interface OptimizationRow {
  readonly agent_key: string;
  readonly optimization_type: string;
  /** JSON. */
  readonly payload: string;
}

export interface SplitRow extends Split {
  readonly agent_key: string;
}

const nothing: AgentRules = { split: null, model: null, maxOutputTokens: null, cachesPrompt: false };

/** The rows in force, as the gateway applies them. An invalid payload is ignored, because calls must not fail. */
export function toAgentRules(
  optimizations: readonly OptimizationRow[],
  splits: readonly SplitRow[],
): ReadonlyMap<string, AgentRules> {
  const agents = new Map<string, AgentRules>();
  const add = (agentKey: string, rule: Partial<AgentRules>) =>
    agents.set(agentKey, { ...(agents.get(agentKey) ?? nothing), ...rule });
  for (const { agent_key, optimization_type, payload } of optimizations) {
    const rule = toRule(optimization_type, parse(payload));
    if (rule !== null) add(agent_key, rule);
  }
  for (const { agent_key, ...split } of splits) add(agent_key, { split });
  return agents;
}

function toRule(type: string, payload: Readonly<Record<string, unknown>>): Partial<AgentRules> | null {
  switch (type) {
    case "model_switch":
      return typeof payload.model === "string" && payload.model !== "" ? { model: payload.model } : null;
    case "token_guardrails":
      return isTokenCount(payload.max_output_tokens) ? { maxOutputTokens: payload.max_output_tokens } : null;
    case "prompt_caching":
      return { cachesPrompt: true };
    default:
      return null;
  }
}

function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function parse(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
