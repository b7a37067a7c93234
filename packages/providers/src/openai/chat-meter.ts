import type { Microcents } from "@tollgate/core/money";
import type { Usage } from "@tollgate/core/usage";
import { fieldsOf, listOf, nameOf } from "../json-fields.ts";
import type { Meter } from "../meter.ts";

export interface ChatMeterReaders {
  readUsage(usage: unknown): Usage | null;
  readCost(usage: unknown): Microcents | null;
}

/** Meters `chat.completion` bodies and their chunks. A later usage replaces an earlier one: it is never partial. */
export function createChatMeter({ readUsage, readCost }: ChatMeterReaders): Meter {
  let servedModel: string | null = null;
  let responseId: string | null = null;
  let serviceTier: string | null = null;
  let usage: Usage | null = null;
  let reportedCost: Microcents | null = null;
  let outputBytes = 0;

  function read(json: unknown, text: "message" | "delta"): void {
    const fields = fieldsOf(json);
    if (fields === undefined) return;
    servedModel = nameOf(fields.model) ?? servedModel;
    responseId = nameOf(fields.id) ?? responseId;
    serviceTier = nameOf(fields.service_tier) ?? serviceTier;
    if (fields.usage !== undefined && fields.usage !== null) {
      usage = readUsage(fields.usage) ?? usage;
      reportedCost = readCost(fields.usage) ?? reportedCost;
    }
    const choices = listOf(fields.choices);
    if (choices === undefined) return;
    for (const choice of choices) outputBytes += bytesOfMessage(fieldsOf(choice)?.[text]);
  }

  return {
    readAnswer: body => read(body, "message"),
    readFrame: frame => read(frame, "delta"),
    reading: () => ({
      servedModel,
      usage,
      additional: [],
      served: { serviceTier, speed: null, region: null },
      reportedCost,
      outputBytes,
      responseId,
    }),
  };
}

function bytesOfMessage(value: unknown): number {
  const message = fieldsOf(value);
  if (message === undefined) return 0;
  let bytes = bytesOf(message.content) + bytesOf(message.refusal) + bytesOf(message.reasoning_content);
  const calls = listOf(message.tool_calls);
  if (calls !== undefined)
    for (const call of calls) bytes += bytesOf(fieldsOf(fieldsOf(call)?.function)?.arguments);
  return bytes;
}

export function bytesOf(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}
