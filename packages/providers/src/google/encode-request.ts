import { refuseReservedName } from "../answer-tool.ts";
import type { CanonicalRequest, OutputFormat } from "../canonical/request.ts";
import type { UpstreamRequest } from "../provider.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { encodeTools } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { fitFormat } from "./fit-format.ts";
import { modelPath } from "./model-path.ts";
import { type ModelFamily, modelFamily } from "./model-traits.ts";

/** `user` and `parallelToolCalls` have no equivalent at Google; dropping them cannot make an answer wrong. */
export function encodeRequest(asked: CanonicalRequest): UpstreamRequest {
  const family = modelFamily(asked.model);
  refuseReservedName(asked.tools ?? []);
  const request = fitFormat(withinRequest(asked, family), family);
  const generationConfig = encodeGeneration(request, family);
  const body = {
    ...encodeTurns(request.turns, family),
    ...encodeTools(request.tools, request.toolChoice),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(isServiceTier(request.serviceTier) && { serviceTier: request.serviceTier }),
  };
  return {
    path: modelPath(request.model, request.stream ? "streamGenerateContent?alt=sse" : "generateContent"),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  };
}

/** A higher limit is a 400. */
function withinRequest(
  asked: CanonicalRequest,
  { mostUnstreamedTokens: most }: ModelFamily,
): CanonicalRequest {
  if (asked.stream || most === null || (asked.maxOutputTokens ?? 0) <= most) return asked;
  return { ...asked, maxOutputTokens: most };
}

function encodeGeneration(request: CanonicalRequest, family: ModelFamily): Readonly<Record<string, unknown>> {
  const settings = {
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    stopSequences: request.stop?.length ? request.stop : undefined,
    seed: request.seed,
    frequencyPenalty: request.frequencyPenalty,
    presencePenalty: request.presencePenalty,
    responseModalities: request.modalities?.map(modality => modality.toUpperCase()),
    ...encodeFormat(request.outputFormat),
    thinkingConfig: encodeThinking(family, request.reasoning),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function encodeFormat(format: OutputFormat | undefined): Readonly<Record<string, unknown>> {
  if (format === undefined) return {};
  const responseMimeType = "application/json";
  return format.kind === "json"
    ? { responseMimeType }
    : { responseMimeType, responseJsonSchema: format.schema };
}

/** Other providers' tiers (`default`, `scale`, `auto`) would be a 400; without a tier Google charges the list price. */
function isServiceTier(tier: string | undefined): boolean {
  return tier === "flex" || tier === "priority" || tier === "standard";
}
