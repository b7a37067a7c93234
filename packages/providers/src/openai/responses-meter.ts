import type { Microcents } from "@tollgate/core/money";
import { type Usage, usageOf } from "@tollgate/core/usage";
import { fieldsOf, listOf, nameOf } from "../json-fields.ts";
import type { Meter, Reading } from "../meter.ts";
import { bytesOf } from "./chat-meter.ts";
import { readDrawnImages } from "./read-drawn-images.ts";
import { countSearches, readResponsesUsage } from "./read-responses-usage.ts";

/**
 * Meters the Responses API. The frames that open a stream carry a response too, with the tier that was asked for
 * and no usage: the last one seen tells how it was really served.
 */
export function createResponsesMeter(readCost: (usage: unknown) => Microcents | null): Meter {
  let servedModel: string | null = null;
  let responseId: string | null = null;
  let serviceTier: string | null = null;
  let usage: Usage | null = null;
  let reportedCost: Microcents | null = null;
  let additional: Reading["additional"] = [];
  let outputBytes = 0;
  /** The tools' items that a stream has shown so far. */
  const toolItems: unknown[] = [];

  function readResponse(value: unknown): void {
    const response = fieldsOf(value);
    if (response === undefined) return;
    servedModel = nameOf(response.model) ?? servedModel;
    responseId = nameOf(response.id) ?? responseId;
    serviceTier = nameOf(response.service_tier) ?? serviceTier;
    usage = readResponsesUsage(response) ?? usage;
    if (response.tool_usage !== undefined) additional = readDrawnImages(response);
    reportedCost = readCost(response.usage) ?? reportedCost;
  }

  return {
    readAnswer(body) {
      readResponse(body);
      for (const item of listOf(fieldsOf(body)?.output) ?? []) outputBytes += bytesOfItem(item);
    },
    readFrame(frame) {
      const event = fieldsOf(frame);
      const type = nameOf(event?.type);
      if (event === undefined || type === undefined) return;
      // Audio travels as base64: its length says nothing about tokens.
      if (type.endsWith(".delta") && !type.endsWith("audio.delta")) outputBytes += bytesOf(event.delta);
      else if (type === "response.output_item.done") toolItems.push(...searchesOf(event.item));
      else readResponse(event.response);
    },
    reading: () => ({
      servedModel,
      usage,
      ...(usage === null && toolItems.length > 0 ? { partial: usageOf(countSearches(toolItems)) } : {}),
      additional,
      served: { serviceTier, speed: null, region: null },
      reportedCost,
      outputBytes,
      responseId,
    }),
  };
}

function searchesOf(item: unknown): unknown[] {
  const type = fieldsOf(item)?.type;
  return type === "web_search_call" || type === "file_search_call" ? [item] : [];
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
