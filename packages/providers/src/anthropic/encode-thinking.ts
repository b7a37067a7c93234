import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { CanonicalRequest, Effort } from "../canonical/request.ts";
import type { WireMessage } from "./encode-turns.ts";
import type { ModelCapabilities } from "./model-traits.ts";

interface EncodedThinking {
  readonly thinking?: JsonObject;
  /** For `output_config`. */
  readonly effort?: string;
  /** Tokens of `max_tokens` that thinking may use; 0 if the model does not think. */
  readonly budgetTokens: number;
}

type ThinkingEffort = Exclude<Effort, "none">;

const budgets: Readonly<Record<ThinkingEffort, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16384,
};
const MINIMUM_BUDGET = 1024;
const off: EncodedThinking = { budgetTokens: 0 };

export function encodeThinking(
  { reasoning }: CanonicalRequest,
  capabilities: ModelCapabilities,
  messages: readonly WireMessage[],
  toolIsForced: boolean,
): EncodedThinking {
  if (reasoning?.effort === undefined && reasoning?.budgetTokens === undefined) return off;
  const { effort, budgetTokens } = reasoning;

  if (capabilities.adaptiveThinking) {
    if (effort === "none") {
      // Recent models think by default; those that cannot stop get the minimum effort.
      return capabilities.canDisableThinking
        ? { thinking: { type: "disabled" }, budgetTokens: 0 }
        : { effort: "low", budgetTokens: budgets.low };
    }
    const chosen = effort ?? effortOf(budgetTokens ?? MINIMUM_BUDGET);
    return {
      thinking: { type: "adaptive" },
      effort: nameEffort(chosen, capabilities),
      budgetTokens: budgetTokens ?? budgets[chosen],
    };
  }

  if (!capabilities.budgetThinking || effort === "none") return off;
  // Either together with a budget is a 400. What the caller can observe (call, conversation) takes precedence.
  if (toolIsForced || openTurnLostItsThinking(messages)) return off;
  const budget = Math.max(budgetTokens ?? budgets[effort ?? "low"], MINIMUM_BUDGET);
  return { thinking: { type: "enabled", budget_tokens: budget }, budgetTokens: budget };
}

function nameEffort(effort: ThinkingEffort, { xhighEffort }: ModelCapabilities): string {
  if (effort === "minimal") return "low";
  if (effort === "xhigh") return xhighEffort ? "xhigh" : "high";
  return effort;
}

function effortOf(budgetTokens: number): ThinkingEffort {
  if (budgetTokens < 4096) return "low";
  return budgetTokens < 16384 ? "medium" : "high";
}

/**
 * An unfinished assistant turn (a prefill, or calls whose results follow) must begin with its thinking. Most clients of
 * other dialects do not send thinking back, and would fail at their first tool result.
 */
function openTurnLostItsThinking(messages: readonly WireMessage[]): boolean {
  const assistant = messages.findLast(message => message.role === "assistant");
  const last = messages.at(-1);
  const isOpen = last === assistant || last?.content[0]?.type === "tool_result";
  const first = assistant?.content[0]?.type;
  return assistant !== undefined && isOpen && first !== "thinking" && first !== "redacted_thinking";
}
