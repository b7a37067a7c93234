import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { dollars } from "../../format/money.ts";

/** "no_verdict" → "no verdict" */
export const inWords = (name: string) => name.replaceAll("_", " ");

export const centsInDollars = (cents: number) => dollars(Math.round(cents * MICROCENTS_PER_CENT));

/** Titles of the changes that the gateway obeys. */
export const changeTitles: Readonly<Record<string, string>> = {
  model_switch: "Model switch",
  token_guardrails: "Output limit",
  prompt_caching: "Prompt caching",
  budget: "Budget",
  pause_agent: "Paused agent",
  experiment: "Experiment",
  advice: "Advice",
};

/** Operations whose answers depend on the changes in force. */
export const savingReads = [
  "suggestions.list",
  "cost_leak_scan.run",
  "optimizations.summary",
  "agents.optimizations.list",
  "loop_views.queue",
  "loop_views.verdicts",
  "loop_views.proposals",
  "loop_views.actuations",
  "loop_views.headline",
  "experiments.list",
  "verify.requests.list",
  "verify.requests.get",
  "verify.balance.get",
] as const;
