import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { Conversation } from "../answer-conversation.ts";
import type { Call } from "../call.ts";
import { listOf, objectOf, textOf } from "../json-object.ts";
import { type AnswerPlan, planAnswer, planRefusal } from "../plan-answer.ts";
import { splitText } from "../split-fragments.ts";
import { googleFailures } from "./google-error.ts";
import { compactGoogleJson, indentedGoogleJson } from "./google-json.ts";
import { generatesImages, signsCalls } from "./model-traits.ts";
import { pickField } from "./pick-field.ts";
import { CACHED_CONTENT_TOKENS, readContentPrompt } from "./read-content-prompt.ts";

const IMAGE_TOKENS = 1290;
/** A single pixel. */
const imagePart: JsonObject = {
  inlineData: {
    mimeType: "image/png",
    data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
};

interface ContentOptions {
  readonly model: string;
  readonly stream: boolean;
  /** Without `alt=sse` a stream is one JSON array, sent in pieces. */
  readonly sse: boolean;
}

export function contentConversation(call: Call, body: JsonObject, options: ContentOptions): Conversation {
  const { model } = options;
  const prompt = readContentPrompt(model, body);
  const plan = (refuses: boolean) => (refuses ? planRefusal(prompt) : planAnswer(prompt));
  const config = objectOf(pickField(body, "generationConfig"));
  const thinking = objectOf(pickField(config, "thinkingConfig"));
  const modalities = listOf(pickField(config, "responseModalities")).map(name => textOf(name).toUpperCase());
  const draws = generatesImages(model) && (modalities.length === 0 || modalities.includes("IMAGE"));
  const showsThoughts = pickField(thinking, "includeThoughts") === true;
  const signature = signsCalls(model) ? `${call.ids.alphanumeric("signature", 240)}==` : null;
  const image = signature === null ? imagePart : { ...imagePart, thoughtSignature: signature };
  const images = (planned: AnswerPlan) => (draws && planned.finish === "stop" ? [image] : []);
  const answer = (candidate: JsonObject, usage: JsonObject) => ({
    candidates: [candidate],
    usageMetadata: usage,
    modelVersion: model,
    responseId: call.ids.alphanumeric("id", 23),
  });
  const chunks = (planned: AnswerPlan) =>
    candidates(planned, images(planned), showsThoughts, signature).map(
      ({ candidate, visibleTokens, imageTokens = 0 }) =>
        answer(candidate, contentUsage(body, planned, visibleTokens, imageTokens)),
    );
  return {
    userText: prompt.lastUserText,
    stream: options.stream,
    whole(refuses) {
      const planned = plan(refuses);
      const drawn = images(planned);
      const candidate = wholeCandidate(planned, drawn, showsThoughts, signature);
      const usage = contentUsage(body, planned, planned.visibleTokens, drawn.length * IMAGE_TOKENS);
      return indentedGoogleJson(answer(candidate, usage));
    },
    frames(refuses) {
      const written = chunks(plan(refuses)).map(compactGoogleJson);
      if (options.sse) return written.map(json => `data: ${json}\r\n\r\n`);
      return [...written.map((json, at) => (at === 0 ? `[${json}` : `,\r\n${json}`)), "]"];
    },
    failureFrames() {
      const json = compactGoogleJson({ error: googleFailures.overload });
      return [options.sse ? `data: ${json}\r\n\r\n` : `,\r\n${json}]`];
    },
  };
}

export function servedTier(body: JsonObject): string {
  return textOf(pickField(body, "serviceTier")).toLowerCase() || "standard";
}

/** `candidatesTokenCount` excludes thoughts; a zero count is omitted. */
function contentUsage(
  body: JsonObject,
  plan: AnswerPlan,
  visibleTokens: number,
  imageTokens: number,
): JsonObject {
  const visible = plan.finish === "refusal" ? 0 : visibleTokens + imageTokens;
  const cached = textOf(pickField(body, "cachedContent")) === "" ? 0 : CACHED_CONTENT_TOKENS;
  return {
    promptTokenCount: plan.inputTokens,
    ...(visible === 0 ? {} : { candidatesTokenCount: visible }),
    totalTokenCount: plan.inputTokens + visible + plan.reasoningTokens,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: plan.inputTokens }],
    ...(imageTokens === 0
      ? {}
      : { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: imageTokens }] }),
    ...(cached === 0 ? {} : { cacheTokensDetails: [{ modality: "TEXT", tokenCount: cached }] }),
    ...(plan.reasoningTokens === 0 ? {} : { thoughtsTokenCount: plan.reasoningTokens }),
    serviceTier: servedTier(body),
  };
}

function finish(plan: AnswerPlan): JsonObject {
  switch (plan.finish) {
    case "length":
      return { finishReason: "MAX_TOKENS", index: 0 };
    case "refusal":
      return { finishReason: "SAFETY", index: 0, safetyRatings };
    case "tool_calls":
      return { finishReason: "STOP", index: 0, finishMessage: "Model generated function call(s)." };
    case "stop":
    case "stop_sequence":
      return { finishReason: "STOP", index: 0 };
  }
}

const safetyRatings = [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", probability: "HIGH", blocked: true }];

function callParts(plan: AnswerPlan, signature: string | null): JsonObject[] {
  return plan.calls.map((planned, at) => ({
    functionCall: { name: planned.name, args: planned.arguments },
    ...(at === 0 && signature ? { thoughtSignature: signature } : {}),
  }));
}

function wholeCandidate(
  plan: AnswerPlan,
  images: readonly JsonObject[],
  showsThoughts: boolean,
  signature: string | null,
): JsonObject {
  if (plan.finish === "refusal") return { content: {}, ...finish(plan) };
  const signed =
    signature && (plan.reasoning !== "" || images.length > 0) ? { thoughtSignature: signature } : {};
  const parts: JsonObject[] = [
    ...(showsThoughts && plan.reasoning !== "" ? [{ text: plan.reasoning, thought: true }] : []),
    ...(plan.text === "" ? [] : [{ text: plan.text, ...signed }]),
    ...images,
    ...callParts(plan, signature),
  ];
  return { content: { ...(parts.length === 0 ? {} : { parts }), role: "model" }, ...finish(plan) };
}

/** Each chunk is a whole answer object; usage is cumulative. Calls are sent complete, in the chunk that finishes. */
function candidates(
  plan: AnswerPlan,
  images: readonly JsonObject[],
  showsThoughts: boolean,
  signature: string | null,
): { candidate: JsonObject; visibleTokens: number; imageTokens?: number }[] {
  if (plan.finish === "refusal") return [{ candidate: { content: {}, ...finish(plan) }, visibleTokens: 0 }];
  const imageTokens = images.length * IMAGE_TOKENS;
  const open = (part: JsonObject) => ({ content: { parts: [part], role: "model" }, index: 0 });
  const thoughts =
    showsThoughts && plan.reasoning !== "" ? [open({ text: plan.reasoning, thought: true })] : [];
  const pieces = splitText(plan.text, 6);
  const texts = pieces.map((text, at) => ({
    candidate: open({
      text,
      ...(at === 0 && signature && images.length > 0 ? { thoughtSignature: signature } : {}),
    }),
    visibleTokens: Math.ceil((plan.visibleTokens * (at + 1)) / pieces.length),
  }));
  const signed = signature && plan.reasoning !== "" ? { thoughtSignature: signature } : {};
  const calls = callParts(plan, signature);
  const lastParts = calls.length > 0 ? calls : pieces.length > 0 ? [{ text: "", ...signed }] : [];
  const content = { ...(lastParts.length === 0 ? {} : { parts: lastParts }), role: "model" };
  return [
    ...thoughts.map(candidate => ({ candidate, visibleTokens: 0 })),
    ...texts,
    ...images.map(image => ({ candidate: open(image), visibleTokens: plan.visibleTokens, imageTokens })),
    { candidate: { content, ...finish(plan) }, visibleTokens: plan.visibleTokens, imageTokens },
  ];
}
