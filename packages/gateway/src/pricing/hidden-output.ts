import { tokensWritten } from "@tollgate/core/pricing/estimate";
import { thinksUnseen } from "@tollgate/providers/thinks-unseen";
import type { Endpoint, Routed } from "../request/routed.ts";
import type { HiddenOutput } from "./price-reading.ts";

/**
 * The output that a cut call may have produced unseen: what the model generates in the elapsed time, at most what the
 * call allowed. null: the stream shows every token.
 */
export function hiddenOutput(
  call: Pick<Routed, "provider" | "model" | "body" | "summary"> & { readonly endpoint: Endpoint },
  elapsedMs: number,
  /** The pace of the model. */
  tokensPerSecond: number,
  outputBound: number,
): HiddenOutput | null {
  if (call.endpoint.dialect.id === "openai-embeddings") return null;
  const { provider, model, body, summary } = call;
  const thinks = thinksUnseen(provider.id, model, body);
  if (summary.stream && !thinks) return null;
  return {
    kind: thinks ? "reasoning" : isSpoken(body) ? "output_audio" : "output",
    // Each of `n` choices is generated at that pace.
    tokens: tokensWritten(elapsedMs, tokensPerSecond * summary.choices, outputBound),
  };
}

/** Most tokens of such an answer are audio. */
function isSpoken({ modalities }: Routed["body"]): boolean {
  return Array.isArray(modalities) && modalities.includes("audio");
}
