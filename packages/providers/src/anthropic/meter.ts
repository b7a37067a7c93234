import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { addUsage, inputTokens, type Usage } from "@tollgate/core/money/usage";
import { unseenResultTokens } from "@tollgate/core/pricing/estimate";
import { isJsonObject, type JsonObject, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { CanonicalError } from "../canonical/answer.ts";
import type { Meter, Reading } from "../meter.ts";
import { type DeclineBill, declineBill } from "./decline-bill.ts";
import { decodeStreamError } from "./decode-error.ts";
import { IterationCounter, isCalledByCode } from "./iteration-counter.ts";
import {
  hasIterations,
  isSplitUncertain,
  readFallbackModel,
  readInput,
  readLargestPrompt,
  readOtherModels,
  readOutput,
  readServerToolCalls,
  readUsage,
} from "./read-usage.ts";

/**
 * `message_delta.usage` is cumulative and replaces that of `message_start`, field by field: adding the two counts the
 * input twice, and keeping only the first misses what server tools read and wrote in between. The output count of
 * `message_start` is provisional, so usage is unknown until a `message_delta` has one. A `message_start` with a stop
 * reason is a whole answer already: no `message_delta` follows.
 */
export class AnthropicMeter implements Meter {
  #usage: JsonObject = {};
  #isFinal = false;
  /** Frames after message_stop are ignored, so that the bill does not depend on packet boundaries. */
  #isOver = false;
  #model: string | null = null;
  #responseId: string | null = null;
  #outputBytes = 0;
  /** Of these, what models had written before they declined and another took over. */
  #declinedBytes = 0;
  #stopReason: unknown = null;
  #stopDetails: unknown = null;
  /** Of each model that declined and was followed by another. */
  readonly #handovers: DeclineBill[] = [];
  #hasContent = false;
  /** Seen in the answer. The final usage has the billed number. */
  #searches = 0;
  /** Indices of streamed blocks that executed code has written. */
  readonly #byCode: unknown[] = [];
  readonly #counter = new IterationCounter();
  #firstInput: number | null = null;
  #failure: CanonicalError | null = null;

  readAnswer(body: unknown): void {
    if (!isJsonObject(body)) return;
    if (body.type === "error") this.#failure = decodeStreamError(body);
    this.#readMessage(body, true);
  }

  failure(): CanonicalError | null {
    return this.#failure;
  }

  readFrame(frame: unknown): void {
    if (!isJsonObject(frame) || this.#isOver) return;
    switch (frame.type) {
      case "message_start": {
        if (!isJsonObject(frame.message)) return;
        const isWhole = nameOf(frame.message.stop_reason) !== undefined;
        this.#readMessage(frame.message, isWhole);
        this.#firstInput = isWhole ? null : inputOf(this.#usage);
        return;
      }
      case "content_block_start":
        this.#readBlock(frame.content_block);
        if (isCalledByCode(frame.content_block)) this.#byCode.push(frame.index);
        return;
      case "content_block_delta":
        if (isJsonObject(frame.delta) && !this.#byCode.includes(frame.index)) {
          this.#countText(frame.delta);
          this.#countBytes(frame.delta.partial_json);
        }
        return;
      case "message_delta":
        this.#replace(frame.usage, true);
        if (isJsonObject(frame.delta)) this.#readStop(frame.delta);
        return;
      case "message_stop":
        this.#isOver = true;
    }
  }

  reading(): Reading {
    const decline = this.#stopReason === "refusal" ? declineBill(this.#stopDetails) : null;
    const usage = this.#isFinal ? readUsage(this.#usage, decline === "free") : null;
    const additional = this.#isFinal ? readOtherModels(this.#usage, this.#handovers) : [];
    // Another model's unreadable usage cannot be silently dropped: then nothing about this call is certain.
    const known = additional === null ? null : usage;
    const partial = known === null ? this.#partial() : null;
    const isInputMissing = partial !== null && inputOf(this.#usage) === null;
    const largestPrompt = known === null ? null : readLargestPrompt(this.#usage);
    return {
      servedModel: readFallbackModel(this.#usage) ?? this.#model,
      usage: known,
      ...(partial === null ? {} : { partial }),
      ...(isInputMissing && { isInputMissing }),
      ...(known === null && this.#toolResultTokens()),
      ...(known !== null && this.#isBillUncertain(decline) && { isBillUncertain: true }),
      ...(largestPrompt === null ? {} : { largestPrompt }),
      ...this.#unreportedIterations(),
      additional: additional ?? [],
      served: {
        serviceTier: text(this.#usage.service_tier),
        speed: text(this.#usage.speed),
        region: this.#usage.inference_geo === "not_available" ? null : text(this.#usage.inference_geo),
      },
      // Not billed, even if usage is reported.
      reportedCost:
        decline === "free" && !this.#hasContent && additional?.length === 0 ? ZERO_MICROCENTS : null,
      outputBytes: known === null ? this.#outputBytes : this.#outputBytes - this.#declinedBytes,
      responseId: this.#responseId,
    };
  }

  #isBillUncertain(decline: DeclineBill | null): boolean {
    const isDeclineUnknown = decline === "unknown" && !this.#hasContent;
    return isDeclineUnknown || this.#handovers.includes("unknown") || isSplitUncertain(this.#usage);
  }

  #partial(): Usage | null {
    const input = readInput(this.#usage);
    const reported = input ?? (this.#isFinal ? readOutput(this.#usage) : null);
    if (this.#searches === 0) return reported;
    return addUsage(reported ?? {}, { web_searches: this.#searches });
  }

  /** Not if a later frame has reported the input: that is the sum of all iterations. */
  #toolResultTokens(): Pick<Reading, "toolResultTokens"> {
    if (inputOf(this.#usage) !== this.#firstInput) return {};
    const toolResultTokens = this.#counter.toolResultTokens();
    return toolResultTokens.length === 0 ? {} : { toolResultTokens };
  }

  #unreportedIterations(): Pick<Reading, "iterations"> {
    if (hasIterations(this.#usage)) return {};
    const firstInput = this.#firstInput;
    const shown = this.#counter.iterations;
    const resultTokens = this.#counter.toolResultTokens().at(-1) ?? 0;
    if (shown > 1) return { iterations: { count: shown, firstInput, resultTokens } };
    const calls = this.#counter.hasCallsByCode ? 0 : readServerToolCalls(this.#usage);
    if (calls === 0) return {};
    return {
      iterations: { count: 1 + calls, firstInput, resultTokens: calls * unseenResultTokens("web_search") },
    };
  }

  #readMessage(message: JsonObject, isWhole: boolean): void {
    this.#model = text(message.model);
    this.#responseId = text(message.id);
    this.#replace(message.usage, isWhole);
    this.#readStop(message);
    for (const block of listOf(message.content) ?? []) {
      this.#readBlock(block);
      if (isJsonObject(block) && isJsonObject(block.input) && !isCalledByCode(block))
        this.#countBytes(JSON.stringify(block.input));
    }
  }

  #readStop({ stop_reason, stop_details }: JsonObject): void {
    this.#stopReason = stop_reason ?? this.#stopReason;
    this.#stopDetails = stop_details ?? this.#stopDetails;
  }

  /** An absent or null field keeps its earlier value. */
  #replace(usage: unknown, isFinal: boolean): void {
    if (!isJsonObject(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => value !== undefined && value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
    if (isFinal && usage.output_tokens !== undefined && usage.output_tokens !== null) this.#isFinal = true;
  }

  #readBlock(block: unknown): void {
    // It only marks where one model declined and the next took over.
    if (isJsonObject(block) && block.type === "fallback") {
      this.#declinedBytes = this.#outputBytes;
      this.#handovers.push(declineBill(block.trigger));
      return;
    }
    this.#hasContent = true;
    this.#counter.count(block);
    if (isSearch(block)) this.#searches++;
    if (isJsonObject(block)) this.#countText(block);
  }

  #countText(part: JsonObject): void {
    this.#countBytes(part.text);
    this.#countBytes(part.thinking);
  }

  #countBytes(value: unknown): void {
    if (typeof value === "string") this.#outputBytes += Buffer.byteLength(value);
  }
}

function isSearch(block: unknown): boolean {
  return isJsonObject(block) && block.type === "server_tool_use" && block.name === "web_search";
}

function inputOf(usage: JsonObject): number | null {
  const input = readInput(usage);
  return input === null ? null : inputTokens(input);
}

function text(value: unknown): string | null {
  return nameOf(value) ?? null;
}
