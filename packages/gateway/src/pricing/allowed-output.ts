import { outputBound } from "@tollgate/core/models/output-bound";
import type { Routed } from "../request/routed.ts";

type Limited = Pick<Routed, "provider" | "model" | "summary" | "exchange">;

/** The limit of each answer as it is sent: a translated request for thinking may have a higher one. */
export function sentLimit({ summary, exchange }: Pick<Routed, "summary" | "exchange">): number | null {
  return exchange.upstream.maxOutputTokens ?? summary.maxOutputTokens;
}

/** The most output of all answers to a call. */
export function allowedOutput(call: Limited): number {
  return outputBound(call.provider.id, call.model, sentLimit(call), call.summary.choices);
}
