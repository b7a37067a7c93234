import type { Microcents } from "@tollgate/core/money/money";
import { addUsage, type Usage } from "@tollgate/core/money/usage";
import { BYTES_PER_TOKEN } from "@tollgate/core/pricing/estimate";
import { type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import type { Meter, Reading } from "../meter.ts";
import { readWholeError } from "./decode-error.ts";
import { hasUnreadablePart, readOneTotal } from "./read-usage.ts";

/** A bill that a provider states in its answer. */
export interface ReportedCost {
  /** null: it states something, but no amount. */
  readonly amount: Microcents | null;
  /** Uses of tools and sources, whose fees the amount includes. */
  readonly fees: number;
}

interface ChatMeterReaders {
  readUsage(usage: unknown, model: string | null): Usage | null;
  readCost(usage: unknown): ReportedCost | null;
  /** Billed for every answer of a model, reported or not. */
  certainUsage(model: string | null): Usage | null;
}

/** Meters `chat.completion` bodies and their chunks. A later usage replaces an earlier one; they are never summed. */
export class ChatMeter implements Meter {
  #servedModel: string | null = null;
  #responseId: string | null = null;
  #serviceTier: string | null = null;
  #usage: Usage | null = null;
  /** The last usage lacked a total. */
  #isUsageIncomplete = false;
  #reportedCost: ReportedCost | null = null;
  #outputBytes = 0;
  #finishedChoices = 0;
  #audioTokens = 0;
  /** Until then usage is intermediate: some xAI models report it with every chunk. */
  #isFinished = false;
  #isBillUncertain = false;
  #failure: CanonicalError | null = null;

  constructor(
    private readonly readers: ChatMeterReaders,
    private readonly choices = 1,
    private readonly askedModel: string | null = null,
  ) {}

  readAnswer(body: unknown): void {
    this.#read(body, "message");
    this.#isFinished = true;
    this.#failure = readWholeError(body, jsonObjectOf(body)?.choices);
  }

  failure(): CanonicalError | null {
    return this.#failure;
  }

  readFrame(frame: unknown): void {
    this.#read(frame, "delta");
  }

  reading(): Reading {
    const reported: Reading = {
      servedModel: this.#servedModel,
      usage: this.#usage,
      additional: [],
      served: { serviceTier: this.#serviceTier, speed: null, region: null },
      // Until then it is the amount so far.
      reportedCost: this.#isFinished && this.#reportedCost !== null ? this.#reportedCost.amount : null,
      outputBytes: this.#outputBytes,
      responseId: this.#responseId,
      ...(this.#reportedCost !== null && { reportedFees: this.#reportedCost.fees }),
      ...((this.#isBillUncertain || this.#reportedCost?.amount === null) && { isBillUncertain: true }),
    };
    if (this.#usage === null) {
      const certain = this.readers.certainUsage(this.#model());
      // Asked for every frame under a strict budget.
      if (certain === null && this.#audioTokens === 0) return reported;
      return {
        ...reported,
        ...(certain !== null && { partial: certain }),
        ...(this.#audioTokens > 0 && { audioTokens: Math.ceil(this.#audioTokens) }),
      };
    }
    if (this.#isFinished && !this.#isUsageIncomplete) return reported;
    return { ...reported, usage: null, partial: this.#usage };
  }

  #read(json: unknown, text: "message" | "delta"): void {
    const fields = jsonObjectOf(json);
    if (fields === undefined) return;
    this.#servedModel = nameOf(fields.model) ?? this.#servedModel;
    this.#responseId = nameOf(fields.id) ?? this.#responseId;
    this.#serviceTier = nameOf(fields.service_tier) ?? this.#serviceTier;
    const usage = jsonObjectOf(fields.usage);
    if (usage !== undefined) this.#readUsage(usage);
    const choices = listOf(fields.choices);
    if (choices === undefined) return;
    // OpenAI reports usage in a chunk without choices, after all others.
    if (choices.length === 0 && this.#usage !== null) this.#isFinished = true;
    for (const entry of choices) {
      const choice = jsonObjectOf(entry);
      this.#outputBytes += bytesOfMessage(choice?.[text]);
      const audio = jsonObjectOf(choice?.[text])?.audio;
      if (audio !== undefined) this.#audioTokens += speechTokens(jsonObjectOf(audio)?.data);
      if (nameOf(choice?.finish_reason) !== undefined) this.#finishedChoices++;
    }
    if (this.#finishedChoices >= this.choices) this.#isFinished = true;
  }

  #readUsage(usage: JsonObject): void {
    const cost = this.readers.readCost(usage);
    const hasTotals = (usage.prompt_tokens ?? usage.completion_tokens ?? null) !== null;
    // The amount beside earlier totals does not include what was written since.
    if (cost !== null || hasTotals) this.#reportedCost = cost;
    if (!hasTotals) return;
    const read = this.readers.readUsage(usage, this.#model());
    this.#isUsageIncomplete = read === null;
    this.#usage = read ?? this.#oneTotal(usage) ?? this.#usage;
    this.#isBillUncertain = hasUnreadablePart(usage);
  }

  #oneTotal(usage: JsonObject): Usage | null {
    const total = readOneTotal(usage);
    return total && addUsage(total, this.readers.certainUsage(this.#model()) ?? {});
  }

  /** The requested one until the answer names its own: it may be cut before that. */
  #model(): string | null {
    return this.#servedModel ?? this.askedModel;
  }
}

function bytesOfMessage(value: unknown): number {
  const message = jsonObjectOf(value);
  if (message === undefined) return 0;
  let bytes = bytesOf(message.content) + bytesOf(message.refusal) + bytesOf(message.reasoning_content);
  bytes += bytesOf(jsonObjectOf(message.function_call)?.arguments) + bytesOfAudio(message.audio);
  const calls = listOf(message.tool_calls);
  if (calls !== undefined) for (const call of calls) bytes += bytesOfCall(jsonObjectOf(call));
  return bytes;
}

function bytesOfCall(call: JsonObject | undefined): number {
  return bytesOf(jsonObjectOf(call?.function)?.arguments) + bytesOf(jsonObjectOf(call?.custom)?.input);
}

/** Base64 characters per second of 16-bit speech at 24 kHz, the only format that is streamed. */
const SPEECH = { charactersPerSecond: 64_000, tokensPerSecond: 20 };

function bytesOfAudio(value: unknown): number {
  const audio = jsonObjectOf(value);
  if (audio === undefined) return 0;
  return bytesOf(audio.transcript) + Math.ceil(speechTokens(audio.data) * BYTES_PER_TOKEN);
}

/** With fractions: a chunk may be shorter than a token. */
export function speechTokens(base64: unknown): number {
  return (bytesOf(base64) / SPEECH.charactersPerSecond) * SPEECH.tokensPerSecond;
}

export function bytesOf(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}
