import { z } from "zod";
import { fail } from "../errors.ts";
import { findModel } from "../models/find-model.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { plainIssues } from "../wire/plain-issues.ts";
import type { OptimizationType } from "./suggestion-types.ts";

const shapes = {
  model_switch: z.strictObject({ model: z.string().trim().min(1).max(256) }),
  token_guardrails: z.strictObject({ max_output_tokens: z.int().min(1).max(1_000_000) }),
  prompt_caching: z.strictObject({}),
} as const satisfies { readonly [type in OptimizationType]: z.ZodObject };

/**
 * The settings for the gateway: the suggestion's values, overridden by the caller's. Throws 400 for unsupported ones.
 */
export function optimizationPayload(
  type: OptimizationType,
  suggested: Readonly<Record<string, unknown>>,
  override: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
  at: Date,
): Record<string, unknown> {
  const parsed = shapes[type].safeParse({ ...suggested, ...override }, plainIssues);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isUnknown = issue?.code === "unrecognized_keys";
    const field = `payload.${((isUnknown ? issue.keys[0] : issue?.path.join(".")) ?? "").slice(0, 100)}`;
    throw fail("invalid_request", isUnknown ? `unknown field: ${field}` : `${field}: ${issue?.message}`);
  }
  const payload: Record<string, unknown> = { ...parsed.data };
  if (typeof payload.model === "string") {
    const facts = findModel(catalogue, payload.model, at);
    if (facts === null) throw fail("invalid_request", "payload.model: the price catalogue has no such model");
    if (!facts.isGeneral) {
      throw fail("invalid_request", "payload.model: this model is not suited to agent calls");
    }
    // Names are sent without our own `openai/` prefix.
    const ownPrefix = `${facts.provider}/`;
    const name = payload.model.toLowerCase();
    payload.model = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  }
  return payload;
}
