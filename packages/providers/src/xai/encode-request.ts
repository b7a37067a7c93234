import type { CanonicalRequest, Effort } from "../canonical/request.ts";
import { encodeMessages } from "../openai/encode-messages.ts";
import { encodeStop } from "../openai/encode-request.ts";
import { encodeOutputFormat, encodeTools } from "../openai/encode-tools.ts";
import { nearestEffort, wantedEffort } from "../openai/model-traits.ts";
import type { UpstreamRequest } from "../provider.ts";

/** A conversation as xAI's `POST /v1/chat/completions`. */
export function encodeRequest(request: CanonicalRequest): UpstreamRequest {
  const { model } = request;
  const wanted = wantedEffort(request.reasoning);
  const effort = wanted === undefined ? undefined : nearestEffort(wanted, effortsOf(model));
  const body = {
    model,
    messages: encodeMessages(request.turns, {
      providerName: "xAI",
      systemRole: "system",
      sendsReasoning: true,
      takesAudio: false,
      takesPdf: false,
    }),
    ...(request.maxOutputTokens !== undefined && { max_tokens: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { top_p: request.topP }),
    ...(!reasons(model) && encodeForPlainModels(request)),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...encodeTools(request, true),
    ...encodeOutputFormat(request.outputFormat),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(request.user !== undefined && { user: request.user }),
    ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
  };
  return {
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Reasoning models reject these. */
function encodeForPlainModels(request: CanonicalRequest): Record<string, unknown> {
  return {
    ...(request.frequencyPenalty !== undefined && { frequency_penalty: request.frequencyPenalty }),
    ...(request.presencePenalty !== undefined && { presence_penalty: request.presencePenalty }),
    ...encodeStop(request.stop),
  };
}

export function reasons(model: string): boolean {
  return /^grok-(3-mini|[4-9]|code)/.test(model) && !model.includes("non-reasoning");
}

/**
 * grok-4 and models that choose reasoning by name reject the parameter, as does 4.20; 4.3 introduced it. From 4.5 on
 * reasoning cannot be disabled.
 */
export function effortsOf(model: string): readonly Effort[] {
  if (model.startsWith("grok-3-mini")) return ["low", "high"];
  const minor = Number(/^grok-4\.([3-9])(?!\d)/.exec(model)?.[1] ?? 0);
  if (minor >= 6) return ["low", "medium", "high", "xhigh"];
  if (minor >= 5) return ["low", "medium", "high"];
  return minor >= 3 ? ["none", "low", "medium", "high"] : [];
}
