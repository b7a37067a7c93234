import type { Microcents } from "@tollgate/core/money";
import { type Usage, usageOf } from "@tollgate/core/usage";
import { fieldsOf, type JsonFields, listOf, nameOf } from "../json-fields.ts";
import type { Meter, Reading } from "../meter.ts";
import { bytesOf } from "./chat-meter.ts";
import { readDrawnImages } from "./read-drawn-images.ts";
import { countPasses, readResponsesUsage, readSearchTool, type ToolCounts } from "./read-responses-usage.ts";

export interface ResponsesReaders {
  readCost(usage: unknown): Microcents | null;
  /** Billed calls of the provider's own tools. */
  countTools(response: JsonFields): ToolCounts;
  /** The input of the longest pass, where the answer tells it. */
  readLongestPass(usage: unknown): number | null;
}

/**
 * Meters the Responses API. The frames that open a stream carry a response too, with the tier that was asked for
 * and no usage: the last one seen tells how it was really served.
 */
export function createResponsesMeter(readers: ResponsesReaders): Meter {
  let servedModel: string | null = null;
  let responseId: string | null = null;
  let serviceTier: string | null = null;
  let usage: Usage | null = null;
  let reportedCost: Microcents | null = null;
  let additional: Reading["additional"] = [];
  let longestPass: number | null = null;
  let passes = 1;
  let searchTool: string | null = null;
  let outputBytes = 0;
  /** Calls of the provider's own tools that a stream has shown so far. */
  const toolCalls: JsonFields[] = [];
  /** Frames after the terminal event are ignored, so that the bill does not depend on packet boundaries. */
  let isOver = false;

  function readResponse(value: unknown): void {
    const response = fieldsOf(value);
    if (response === undefined) return;
    servedModel = nameOf(response.model) ?? servedModel;
    responseId = nameOf(response.id) ?? responseId;
    serviceTier = nameOf(response.service_tier) ?? serviceTier;
    usage = readResponsesUsage(response, readers.countTools(response)) ?? usage;
    longestPass = readers.readLongestPass(response.usage) ?? longestPass;
    passes = countPasses(response);
    searchTool = readSearchTool(response) ?? searchTool;
    if (response.tool_usage !== undefined) additional = readDrawnImages(response);
    reportedCost = readers.readCost(response.usage) ?? reportedCost;
  }

  return {
    readAnswer(body) {
      readResponse(body);
      for (const item of listOf(fieldsOf(body)?.output) ?? []) outputBytes += bytesOfItem(item);
    },
    readFrame(frame) {
      const event = fieldsOf(frame);
      const type = nameOf(event?.type);
      if (event === undefined || type === undefined || isOver) return;
      // Audio travels as base64: its length says nothing about tokens.
      if (type.endsWith(".delta") && !type.endsWith("audio.delta")) outputBytes += bytesOf(event.delta);
      else if (type === "response.output_item.done") toolCalls.push(...ownCallOf(event.item));
      else readResponse(event.response);
      isOver = type === "response.completed" || type === "response.incomplete" || type === "response.failed";
    },
    reading() {
      const isCut = usage === null && toolCalls.length > 0;
      const partial = isCut ? usageOf(readers.countTools({ output: toolCalls })) : null;
      const hasSearched = (usage ?? partial)?.web_searches !== undefined;
      return {
        servedModel,
        usage,
        ...(partial !== null && { partial }),
        additional,
        ...(longestPass !== null && { longestPass }),
        ...(passes > 1 && { passes: { count: passes, firstInput: null } }),
        served: { serviceTier, speed: null, region: null, searchTool: hasSearched ? searchTool : null },
        reportedCost,
        outputBytes,
        responseId,
      };
    },
  };
}

/** What the client runs itself costs nothing. The rest of an item is dropped: a generated image is megabytes long. */
function ownCallOf(value: unknown): JsonFields[] {
  const item = fieldsOf(value);
  const type = nameOf(item?.type);
  if (type === undefined || type === "function_call" || type === "custom_tool_call") return [];
  return type.endsWith("_call") ? [{ type, action: item?.action }] : [];
}

function bytesOfItem(value: unknown): number {
  const item = fieldsOf(value);
  let bytes = bytesOf(item?.arguments) + bytesOf(item?.input);
  for (const part of [...(listOf(item?.content) ?? []), ...(listOf(item?.summary) ?? [])]) {
    const fields = fieldsOf(part);
    bytes += bytesOf(fields?.text) + bytesOf(fields?.refusal);
  }
  return bytes;
}
