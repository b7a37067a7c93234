import { fail } from "@tollgate/core/errors";
import type { CanonicalRequest } from "../canonical/request.ts";
import type { UpstreamRequest } from "../provider.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeOutputFormat, encodeTools } from "./encode-tools.ts";
import { chatEffort, type ModelTraits, modelTraits, wantedEffort } from "./model-traits.ts";

const MAX_STOP_SEQUENCES = 4;
const MAX_IDENTIFIER_CHARACTERS = 128;
const serviceTiers = ["auto", "default", "flex", "scale", "priority", "fast"];

/** A conversation as `POST /v1/chat/completions`. Dispensable options that the model would reject are omitted. */
export function encodeRequest(request: CanonicalRequest): UpstreamRequest {
  const traits = modelTraits(request.model);
  const hasTools = request.tools !== undefined && request.tools.length > 0;
  const effort = chatEffort(request.model, wantedEffort(request.reasoning), hasTools);
  const body = {
    model: request.model,
    messages: encodeMessages(request.turns, {
      providerName: "OpenAI",
      systemRole: traits.reasoning ? "developer" : "system",
      sendsReasoning: false,
      takesAudio: true,
      takesPdf: true,
    }),
    ...(request.maxOutputTokens !== undefined && { [traits.limitField]: request.maxOutputTokens }),
    ...encodeSampling(request, traits, effort),
    ...(traits.takesStop && encodeStop(request.stop)),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...encodeTools(request, traits.takesParallelToolCalls),
    ...encodeOutputFormat(request.outputFormat),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...encodeServiceTier(request.serviceTier),
    ...(request.user !== undefined && { safety_identifier: encodeIdentifier(request.user) }),
    ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
  };
  return {
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

function encodeSampling(request: CanonicalRequest, traits: ModelTraits, effort: string | undefined) {
  if (traits.reasoning && !(traits.samplesWithoutReasoning && effort === "none")) return {};
  return {
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { top_p: request.topP }),
    ...(request.frequencyPenalty !== undefined && { frequency_penalty: request.frequencyPenalty }),
    ...(request.presencePenalty !== undefined && { presence_penalty: request.presencePenalty }),
  };
}

export function encodeStop(stop: readonly string[] | undefined): Record<string, unknown> {
  if (stop === undefined || stop.length === 0) return {};
  if (stop.length > MAX_STOP_SEQUENCES)
    throw fail("unsupported_feature", `this provider accepts at most ${MAX_STOP_SEQUENCES} stop sequences`);
  return { stop };
}

function encodeServiceTier(tier: string | undefined): Record<string, unknown> {
  if (tier === "standard_only") return { service_tier: "default" };
  return tier !== undefined && serviceTiers.includes(tier) ? { service_tier: tier } : {};
}

/** A longer id would be rejected; its hash identifies the same user. */
function encodeIdentifier(user: string): string {
  if (user.length <= MAX_IDENTIFIER_CHARACTERS) return user;
  return new Bun.CryptoHasher("sha256").update(user).digest("hex");
}
