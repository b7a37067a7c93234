import { outputBound } from "@tollgate/core/models/output-bound";
import { tokensWritten } from "@tollgate/core/pricing/estimate";
import { thinksUnseen } from "@tollgate/providers/thinks-unseen";
import type { Call } from "../call/call.ts";
import type { HiddenOutput } from "./price-reading.ts";

/**
 * What the provider may have produced for a call that was cut, whether anybody saw it or not: all that the model
 * writes in the time it had, at most what the call allowed. null: every token of it passes through our hands.
 */
export function hiddenOutput(
  call: Pick<Call, "endpoint" | "provider" | "model" | "body" | "summary">,
  elapsedMs: number,
  /** The pace of the model. */
  tokensPerSecond: number,
): HiddenOutput | null {
  if (call.endpoint.dialect.id === "openai-embeddings") return null;
  const { provider, model, body, summary } = call;
  const thinks = thinksUnseen(provider.id, model, body);
  if (summary.stream && !thinks) return null;
  const bound = outputBound(provider.id, model, summary.maxOutputTokens, summary.choices);
  return {
    kind: thinks ? "reasoning" : "output",
    // Each of `n` answers is written at that pace.
    tokens: tokensWritten(elapsedMs, tokensPerSecond * summary.choices, bound),
  };
}
