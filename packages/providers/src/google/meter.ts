import { addUsage, usageOf } from "@tollgate/core/money/usage";
import { estimateTokens } from "@tollgate/core/pricing/estimate";
import { type JsonObject, jsonObjectOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import { listPrice, type Meter } from "../meter.ts";
import { decodeStreamError } from "./decode-error.ts";
import { Grounding } from "./grounding.ts";
import { bareModel } from "./model-path.ts";
import { readChunk } from "./read-chunk.ts";
import { type ReadCounts, readUsage } from "./read-usage.ts";

/** Of the smallest image that a model generates: what a cut stream has shown is billed as no less. */
const IMAGE_TOKENS = 1290;

/** What a frame may count without repeating its prompt. */
const laterCounts = ["candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"];

function isStated(count: unknown): boolean {
  return count !== undefined && count !== null;
}

/**
 * Usage is cumulative over a stream: the last one counts. Adding them up would bill the prompt once per frame.
 * `askedModel`: how searches are billed depends on the model, and not every answer names it.
 */
export function meter(_choices?: number, askedModel: string | null = null): Meter {
  let servedModel: string | null = null;
  let responseId: string | null = null;
  let serviceTier: string | null = null;
  /** Vertex's name for it. */
  let trafficType: string | null = null;
  /** From the head: known before any count, and before a cut. */
  let tierOfHead: string | null = null;
  let usageMetadata: JsonObject | undefined;
  const grounding = new Grounding();
  let answerBytes = 0;
  let thoughtBytes = 0;
  let images = 0;
  let sawOutput = false;
  /** Until then the counts are intermediate, not the final usage. */
  let isFinished = false;
  let failure: CanonicalError | null = null;
  /** Output followed the last counts, which therefore lack it. */
  let isBehind = false;

  function read(body: unknown): void {
    const chunk = readChunk(body);
    if (chunk === null) return;
    servedModel = chunk.modelVersion === null ? servedModel : bareModel(chunk.modelVersion);
    responseId ??= chunk.responseId;
    isFinished ||= chunk.finishReason !== null || chunk.blockReason !== null;
    for (const part of chunk.parts) {
      if (part.kind === "thought") thoughtBytes += Buffer.byteLength(part.text);
      // An image's size says nothing about its tokens.
      else if (part.kind === "image") images++;
      else answerBytes += Buffer.byteLength(part.kind === "call" ? part.arguments : part.text);
      sawOutput ||= part.kind !== "thought";
    }
    grounding.read(body);
    const metadata = jsonObjectOf(jsonObjectOf(body)?.usageMetadata);
    serviceTier = tierOf(metadata?.serviceTier) ?? serviceTier;
    trafficType = tierOf(metadata?.trafficType) ?? trafficType;
    // Some frames contain only their trafficType and do not reset earlier counts.
    const isWhole = isStated(metadata?.promptTokenCount);
    if (isWhole) usageMetadata = metadata;
    else if (laterCounts.some(name => isStated(metadata?.[name])))
      // An earlier total does not include these counts.
      usageMetadata = { ...usageMetadata, totalTokenCount: null, ...metadata };
    if (isWhole || isStated(metadata?.candidatesTokenCount)) isBehind = false;
    else isBehind ||= chunk.parts.length > 0;
  }

  return {
    readHead(headers) {
      tierOfHead = tierOf(headers.get("x-gemini-service-tier"));
    },
    readAnswer(body) {
      read(body);
      isFinished = true;
      if (readChunk(body)?.hasError === true) failure = decodeStreamError(body);
    },
    readFrame: read,
    reading() {
      const counted = readUsage(usageMetadata, sawOutput);
      const read = images === 0 || counted === null ? counted : splitImages(counted, answerBytes);
      const { searches, tool, isUncertain } = grounding.bill(servedModel ?? askedModel);
      const found = usageOf({ web_searches: searches });
      const reported = read === null ? null : addUsage(read.usage, found);
      const isWhole = isFinished && read?.missing === null && !isBehind;
      const drawn = Math.max(0, images * IMAGE_TOKENS - (reported?.output_image ?? 0));
      const partial = addUsage(reported ?? found, usageOf({ output_image: drawn }));
      return {
        servedModel,
        usage: isWhole ? reported : null,
        ...(!isWhole && (reported !== null || searches + images > 0) && { partial }),
        ...(read?.missing === "input" && { isInputMissing: true }),
        ...((read?.hasUncounted === true || isUncertain) && { isBillUncertain: true }),
        additional: [],
        served: {
          ...listPrice,
          serviceTier: serviceTier ?? trafficType ?? tierOfHead,
          ...(tool !== null && { searchTool: tool }),
        },
        reportedCost: null,
        // Thoughts that were counted need no estimate.
        outputBytes: answerBytes + (reported?.reasoning === undefined ? thoughtBytes : 0),
        responseId,
      };
    },
    failure: () => failure,
  };
}

/**
 * The details of some answers do not say which tokens are of their images, which cost up to 20 times as much as text.
 * Without text it is all of them; otherwise what the text leaves, which is an estimate.
 */
function splitImages(read: ReadCounts, textBytes: number): ReadCounts {
  const { output = 0, output_image: stated = 0 } = read.usage;
  const drawn = Math.max(0, output - estimateTokens(textBytes));
  if (stated > 0 || drawn === 0) return read;
  const usage = usageOf({ ...read.usage, output: output - drawn, output_image: drawn });
  return { ...read, usage, ...(textBytes > 0 && { hasUncounted: true }) };
}

/** The unspecified enum value carries no information. */
function tierOf(value: unknown): string | null {
  const name = nameOf(value) ?? null;
  return name === null || /unspecified$/i.test(name) ? null : name;
}
