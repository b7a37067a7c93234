import type { Microcents } from "@tollgate/core/money";
import type { Usage } from "@tollgate/core/usage";
import { fieldsOf, listOf, nameOf } from "../json-fields.ts";
import type { Meter, Reading } from "../meter.ts";

export interface ChatMeterReaders {
  readUsage(usage: unknown, servedModel: string | null): Usage | null;
  readCost(usage: unknown): Microcents | null;
}

/** Meters `chat.completion` bodies and their chunks. A later usage replaces an earlier one: it is never partial. */
export class ChatMeter implements Meter {
  #servedModel: string | null = null;
  #responseId: string | null = null;
  #serviceTier: string | null = null;
  #usage: Usage | null = null;
  #reportedCost: Microcents | null = null;
  #outputBytes = 0;

  constructor(private readonly readers: ChatMeterReaders) {}

  readAnswer(body: unknown): void {
    this.#read(body, "message");
  }

  readFrame(frame: unknown): void {
    this.#read(frame, "delta");
  }

  reading(): Reading {
    return {
      servedModel: this.#servedModel,
      usage: this.#usage,
      additional: [],
      served: { serviceTier: this.#serviceTier, speed: null, region: null },
      reportedCost: this.#reportedCost,
      outputBytes: this.#outputBytes,
      responseId: this.#responseId,
    };
  }

  #read(json: unknown, text: "message" | "delta"): void {
    const fields = fieldsOf(json);
    if (fields === undefined) return;
    this.#servedModel = nameOf(fields.model) ?? this.#servedModel;
    this.#responseId = nameOf(fields.id) ?? this.#responseId;
    this.#serviceTier = nameOf(fields.service_tier) ?? this.#serviceTier;
    if (fields.usage !== undefined && fields.usage !== null) {
      this.#usage = this.readers.readUsage(fields.usage, this.#servedModel) ?? this.#usage;
      this.#reportedCost = this.readers.readCost(fields.usage) ?? this.#reportedCost;
    }
    const choices = listOf(fields.choices);
    if (choices === undefined) return;
    for (const choice of choices) this.#outputBytes += bytesOfMessage(fieldsOf(choice)?.[text]);
  }
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
