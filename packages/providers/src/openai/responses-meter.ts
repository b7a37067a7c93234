import { addUsage, inputTokens, type Usage, usageOf } from "@tollgate/core/money/usage";
import { BYTES_PER_TOKEN } from "@tollgate/core/pricing/estimate";
import { type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import type { Meter, Reading } from "../meter.ts";
import { decodeStreamError, readWholeError } from "./decode-error.ts";
import { bytesOf, type ReportedCost, speechTokens } from "./meter.ts";
import { estimateDrawnImages, readDrawnImages, readImageTool, readSvgAuthors } from "./read-drawn-images.ts";
import {
  hasUnreadableTools,
  readLaterIterations,
  readResponsesUsage,
  readSearchTool,
  readToolItem,
  readToolResultTokens,
  type ToolCounts,
  type ToolItem,
} from "./read-responses-usage.ts";
import { hasUnreadablePart, readOneTotal } from "./read-usage.ts";

interface ResponsesReaders {
  readCost(usage: unknown): ReportedCost | null;
  /** Billed calls of server tools. */
  countTools(response: JsonObject): ToolCounts;
  /** The input of the largest iteration, if the answer reports it. */
  readLargestPrompt(usage: unknown): number | null;
}

/**
 * Meters the Responses API. The frames that open a stream contain a response too, with the requested tier and no usage:
 * the last one seen has the actual service tier.
 */
export function createResponsesMeter(readers: ResponsesReaders): Meter {
  let servedModel: string | null = null;
  let responseId: string | null = null;
  let serviceTier: string | null = null;
  let usage: Usage | null = null;
  /** While `usage` is null. */
  let oneTotal: Usage | null = null;
  let isBillUncertain = false;
  let reportedCost: ReportedCost | null = null;
  let drawn: Reading["additional"] = [];
  /** It is not documented whether their tokens are in `usage`, too, if the answering model is the author. */
  let svgAuthors: Reading["additional"] = [];
  let largestPrompt: number | null = null;
  let laterIterations: readonly number[] = [];
  let searchTool: string | null = null;
  let imageTool = readImageTool({});
  let outputBytes = 0;
  let audioTokens = 0;
  let failure: CanonicalError | null = null;
  /** Tool calls and their results seen so far, by output index. */
  const toolItems = new Map<unknown, ToolItem>();
  /** Frames after the terminal event are ignored, so that the bill does not depend on packet boundaries. */
  let isOver = false;

  function readResponse(value: unknown): void {
    const response = jsonObjectOf(value);
    if (response === undefined) return;
    servedModel = nameOf(response.model) ?? servedModel;
    responseId = nameOf(response.id) ?? responseId;
    serviceTier = nameOf(response.service_tier) ?? serviceTier;
    usage = readResponsesUsage(response, readers.countTools(response)) ?? usage;
    oneTotal = readOneTotal(response.usage) ?? oneTotal;
    isBillUncertain = hasUnreadablePart(response.usage) || hasUnreadableTools(response);
    largestPrompt = readers.readLargestPrompt(response.usage) ?? largestPrompt;
    laterIterations = readLaterIterations(response);
    searchTool = readSearchTool(response) ?? searchTool;
    if (response.tools !== undefined) imageTool = readImageTool(response);
    if (response.tool_usage !== undefined) drawn = readDrawnImages(response);
    svgAuthors = readSvgAuthors(response);
    reportedCost = readers.readCost(response.usage) ?? reportedCost;
  }

  /** A call counts from its start: the provider makes it even if the client leaves before its end. */
  function noteItem({ item, output_index: place }: JsonObject): void {
    const noted = readToolItem(item);
    if (noted !== null) toolItems.set(place ?? jsonObjectOf(item)?.id ?? toolItems.size, noted);
  }

  /** A program has computed the arguments of its calls: no model wrote them. */
  function isByProgram(place: unknown): boolean {
    return (toolItems.get(place)?.callerId ?? null) !== null;
  }

  function noteSpeech(base64: unknown): void {
    const tokens = speechTokens(base64);
    audioTokens += tokens;
    outputBytes += Math.ceil(tokens * BYTES_PER_TOKEN);
  }

  return {
    readAnswer(body) {
      readResponse(body);
      const response = jsonObjectOf(body);
      failure =
        response?.status === "failed"
          ? decodeStreamError({ error: response.error })
          : readWholeError(body, response?.output);
      for (const [position, item] of (listOf(response?.output) ?? []).entries()) {
        noteItem({ item, output_index: position });
        if (!isByProgram(position)) outputBytes += bytesOfItem(item);
      }
    },
    readFrame(frame) {
      const event = jsonObjectOf(frame);
      const type = nameOf(event?.type);
      if (event === undefined || type === undefined || isOver) return;
      if (type.endsWith("audio.delta")) noteSpeech(event.delta);
      else if (type.endsWith(".delta")) {
        if (!isByProgram(event.output_index ?? event.item_id)) outputBytes += bytesOf(event.delta);
      } else if (type === "response.output_item.added" || type === "response.output_item.done")
        noteItem(event);
      else readResponse(event.response);
      isOver = type === "response.completed" || type === "response.incomplete" || type === "response.failed";
    },
    reading() {
      const items = usage === null && toolItems.size > 0 ? [...toolItems.values()] : null;
      const used = items && usageOf(readers.countTools({ output: items }));
      const partial = usage === null && oneTotal !== null ? addUsage(oneTotal, used ?? {}) : used;
      // A reported input is the sum of all iterations.
      const isLoopUnreported = items !== null && inputTokens(partial ?? {}) === 0;
      const hasSearched = (usage ?? partial)?.web_searches !== undefined;
      // A complete answer may lack the tokens of an image, too. xAI's bill includes its images.
      const undrawn = drawn.length === 0 && (usage === null || reportedCost === null);
      const estimated = undrawn ? estimateDrawnImages(toolItems.values(), imageTool) : [];
      return {
        servedModel,
        usage,
        ...(partial !== null && { partial }),
        ...(isLoopUnreported && { toolResultTokens: readToolResultTokens(items) }),
        ...((isBillUncertain ||
          estimated.length > 0 ||
          svgAuthors.length > 0 ||
          reportedCost?.amount === null) && {
          isBillUncertain: true,
        }),
        additional: [...drawn, ...estimated, ...svgAuthors],
        ...(largestPrompt !== null && { largestPrompt }),
        ...(laterIterations.length > 0 && {
          iterations: {
            count: 1 + laterIterations.length,
            firstInput: null,
            resultTokens: laterIterations.at(-1) ?? 0,
          },
        }),
        served: { serviceTier, speed: null, region: null, searchTool: hasSearched ? searchTool : null },
        reportedCost: reportedCost === null ? null : reportedCost.amount,
        ...(reportedCost !== null && { reportedFees: reportedCost.fees }),
        outputBytes,
        ...(usage === null && audioTokens > 0 && { audioTokens: Math.ceil(audioTokens) }),
        responseId,
      };
    },
    failure: () => failure,
  };
}

function bytesOfItem(value: unknown): number {
  const item = jsonObjectOf(value);
  let bytes = bytesOf(item?.arguments) + bytesOf(item?.input) + bytesOf(item?.code);
  for (const part of [...(listOf(item?.content) ?? []), ...(listOf(item?.summary) ?? [])]) {
    const fields = jsonObjectOf(part);
    bytes += bytesOf(fields?.text) + bytesOf(fields?.refusal);
  }
  return bytes;
}
