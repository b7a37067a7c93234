import { fail } from "@tollgate/core/errors";
import type { CanonicalRequest, Effort } from "../canonical/request.ts";

/** Differences between OpenAI's models in a chat request. A wrong guess here is a 400 from the provider. */
export interface ModelTraits {
  /** Reasoning models reject `max_tokens` and sampling parameters, and take system text as `developer`. */
  readonly reasoning: boolean;
  /** Sampling parameters are accepted only if the effort is `none`. */
  readonly samplesWithoutReasoning: boolean;
  readonly takesStop: boolean;
  readonly takesParallelToolCalls: boolean;
  /** From gpt-5.2 on, the chat endpoint rejects function tools unless the effort is `none`. */
  readonly toolsForbidReasoning: boolean;
  /** The oldest models know only the old name of the limit. */
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /** From weakest to strongest; empty: the parameter is rejected. */
  readonly efforts: readonly Effort[];
}

const oSeries: readonly Effort[] = ["low", "medium", "high"];
/** They cannot stop reasoning, so there is no effort at which they take tools on the chat endpoint. */
const alwaysReasons = /^gpt-6(-astra|\.1-sol)/;

export function modelTraits(model: string): ModelTraits {
  const name = model.replace(/^ft:/, "");
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(name);
  const version = gpt ? Number(gpt[1]) * 100 + Number(gpt[2] ?? 0) : 0;
  const isO = /^o\d/.test(name);
  const isReasoningGpt = version >= 500 && !name.startsWith("gpt-5-chat");
  return {
    reasoning: isO || isReasoningGpt,
    samplesWithoutReasoning: isReasoningGpt && version >= 501,
    takesStop: !(isReasoningGpt || /^o[3-9]/.test(name)),
    takesParallelToolCalls: !isO,
    toolsForbidReasoning: isReasoningGpt && version >= 502,
    limitField: /^gpt-(3\.5|4)(-|$)/.test(name) ? "max_tokens" : "max_completion_tokens",
    efforts: isO ? oEfforts(name) : isReasoningGpt ? gptEfforts(name, version) : [],
  };
}

function oEfforts(name: string): readonly Effort[] {
  return /^o1-(mini|preview)/.test(name) ? [] : oSeries;
}

function gptEfforts(name: string, version: number): readonly Effort[] {
  if (/-pro(-|$)/.test(name)) return version >= 502 ? ["medium", "high", "xhigh"] : ["high"];
  if (alwaysReasons.test(name)) return ["low", "medium", "high", "xhigh"];
  if (version >= 502) return ["none", "low", "medium", "high", "xhigh"];
  if (version === 501) return ["none", "low", "medium", "high"];
  return name.startsWith("gpt-5-codex") ? oSeries : ["minimal", "low", "medium", "high"];
}

/** undefined: unknown. */
export function readEffort(value: unknown): Effort | undefined {
  return scale.find(effort => effort === value);
}

const scale: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The requested effort, or the equivalent of a budget of thinking tokens. */
export function wantedEffort(reasoning: CanonicalRequest["reasoning"]): Effort | undefined {
  if (reasoning?.effort !== undefined) return reasoning.effort;
  const budget = reasoning?.budgetTokens;
  if (budget === undefined) return undefined;
  if (budget <= 1024) return "minimal";
  if (budget <= 4096) return "low";
  return budget <= 8192 ? "medium" : "high";
}

/** The effort of a chat request; undefined: the model's default. Throws if the model takes tools only elsewhere. */
export function chatEffort(model: string, wanted: Effort | undefined, hasTools: boolean): Effort | undefined {
  const { efforts, toolsForbidReasoning } = modelTraits(model);
  // Newer models reason by default, and reject tools on this endpoint while they do: even a request without an effort
  // is a 400. Tools without reasoning work; reasoning without the requested tools does not.
  if (hasTools && toolsForbidReasoning) {
    if (efforts.includes("none")) return "none";
    throw fail("unsupported_feature", `${model} accepts tools only in the Responses API (/v1/responses)`);
  }
  return wanted === undefined ? undefined : nearestEffort(wanted, efforts);
}

/** The nearest effort that the model accepts; if two are equally near, the stronger. */
export function nearestEffort(wanted: Effort, taken: readonly Effort[]): Effort | undefined {
  const rank = scale.indexOf(wanted);
  let best: Effort | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const effort of taken) {
    const distance = Math.abs(scale.indexOf(effort) - rank);
    if (distance <= bestDistance) {
      best = effort;
      bestDistance = distance;
    }
  }
  return best;
}
