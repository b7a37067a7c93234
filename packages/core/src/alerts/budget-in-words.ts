import { plainName } from "./plain-name.ts";

/** The budget and its owner, as the beginning of a sentence. */
export function budgetInWords(budget: { readonly agentKey: string | null; readonly period: string }): string {
  return budget.agentKey === null
    ? `The organization's ${budget.period} budget`
    : `The ${budget.period} budget of the agent ${plainName(budget.agentKey)}`;
}
