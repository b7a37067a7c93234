import { plainName } from "./plain-name.ts";

interface NamedBudget {
  readonly agentKey: string | null;
  readonly keyId: string | null;
  readonly customerId: string | null;
  readonly period: string;
}

/** The budget and its owner, as the beginning of a sentence. */
export function budgetInWords({ agentKey, keyId, customerId, period }: NamedBudget): string {
  if (agentKey !== null) return `The ${period} budget of the agent ${plainName(agentKey)}`;
  if (keyId !== null) return `The ${period} budget of the API key ${keyId}`;
  if (customerId !== null) return `The ${period} budget of the customer ${plainName(customerId)}`;
  return `The organization's ${period} budget`;
}
