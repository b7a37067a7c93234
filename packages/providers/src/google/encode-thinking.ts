import type { CanonicalRequest, Effort } from "../canonical/request.ts";
import type { ModelFamily } from "./model-traits.ts";

/** Level or budget, never both: Gemini answers 400 to the pair. */
interface ThinkingConfig {
  readonly includeThoughts?: true;
  readonly thinkingLevel?: ThinkingLevel;
  readonly thinkingBudget?: number;
}

type ThinkingLevel = "minimal" | "low" | "medium" | "high";

type Reasoning = NonNullable<CanonicalRequest["reasoning"]>;

export function encodeThinking(
  family: ModelFamily,
  reasoning: Reasoning | undefined,
): ThinkingConfig | undefined {
  if (reasoning === undefined || family.release < 205 || !family.speaksText) return undefined;
  // Gemini rejects a request for thoughts from a model that must not think.
  const isOff =
    reasoning.effort === "none" || (reasoning.effort === undefined && reasoning.budgetTokens === 0);
  const thoughts = isOff ? {} : { includeThoughts: true as const };
  if (family.release >= 300) {
    const effort =
      reasoning.effort ??
      (reasoning.budgetTokens === undefined ? undefined : effortOf(reasoning.budgetTokens));
    return effort === undefined ? thoughts : { ...thoughts, thinkingLevel: levelOf(effort, family) };
  }
  const budget = reasoning.budgetTokens ?? (reasoning.effort && budgetOf(reasoning.effort));
  return budget === undefined ? thoughts : { ...thoughts, thinkingBudget: withinRange(budget, family) };
}

function levelOf(effort: Effort, family: ModelFamily): ThinkingLevel {
  switch (effort) {
    // From the third generation on thinking cannot be disabled: use the minimum.
    case "none":
    case "minimal":
      return knowsMinimal(family) ? "minimal" : "low";
    case "low":
      return "low";
    case "medium": // the first Pro of the generation knew only low and high
      return family.release === 300 && family.size === "pro" ? "high" : "medium";
    case "high":
    case "xhigh":
    case "max":
      return "high";
    default:
      return effort satisfies never;
  }
}

/** The Flash models had `minimal` until 3.6; 3.7 rejects it. Every model accepts `low`, so use that if in doubt. */
function knowsMinimal(family: ModelFamily): boolean {
  return (family.size === "flash" || family.size === "flash-lite") && family.release < 307;
}

/** The inverse of `budgetOf`, with thresholds between its steps. */
function effortOf(budgetTokens: number): Effort {
  if (budgetTokens < 1024) return "minimal";
  if (budgetTokens < 4096) return "low";
  if (budgetTokens < 16_384) return "medium";
  return "high";
}

function budgetOf(effort: Effort): number {
  switch (effort) {
    case "none":
      return 0;
    case "minimal":
      return 512;
    case "low":
      return 1024;
    case "medium":
      return 8192;
    case "high":
      return 24_576;
    case "xhigh":
    case "max":
      return 32_768;
    default:
      return effort satisfies never;
  }
}

/** A model rejects a budget outside its range, so one meant for another provider is clamped. */
function withinRange(budget: number, family: ModelFamily): number {
  if (family.size === "pro") return Math.min(Math.max(budget, 128), 32_768); // cannot be disabled
  if (budget <= 0) return 0;
  return Math.min(Math.max(budget, family.size === "flash-lite" ? 512 : 1), 24_576);
}
