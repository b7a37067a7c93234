import { outputBound } from "@tollgate/core/models/output-bound";
import { inputKinds, inputTokens, type Usage, usageOf } from "@tollgate/core/money/usage";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import { type PromptSize, textPrompt } from "@tollgate/core/pricing/prompt-size";
import { hiddenOutput } from "@tollgate/gateway/pricing/hidden-output";
import { type Ending, type HiddenOutput, priceReading } from "@tollgate/gateway/pricing/price-reading";
import type { Reading } from "@tollgate/providers/meter";
import { drawPace, paceAfterEarlierCalls } from "./assumed-pace.ts";
import type { Recording } from "./recording.ts";
import { type Cut, cutAt } from "./timeline.ts";

export interface Bill {
  readonly outputTokens: number;
  readonly costMicrocents: number;
}

/** One cut call: its true usage so far, and the estimate of each rule. */
export interface PricedCut {
  readonly isVisible: boolean;
  readonly truth: Bill;
  /** The model's pace was learned from earlier calls. */
  readonly learned: Bill;
  /** Nothing is known about the model: the default pace. */
  readonly cold: Bill;
  /** The previous rule: nothing before the first visible byte, visible bytes ÷ 4 afterwards. */
  readonly before: Bill;
}

export function priceCut(
  recording: Recording,
  random: () => number,
  catalogue: Catalogue,
  now: number,
): PricedCut {
  const { provider, model, written } = recording;
  const bound = boundOf(recording);
  const total = written.reasoning + written.answer;
  const cut = cutAt(random(), recording.whenSent, total, drawPace(model, random));
  const reading = recording.readings[cut.framesSeen] ?? recording.final;
  const isVisible = reading.outputBytes > 0;
  const bill = (read: Reading, ending: Ending, hidden: HiddenOutput | null): Bill => {
    const { fields } = priceReading(
      {
        provider: provider.id,
        model,
        createdAtMs: now,
        prompt: assumedPrompt(recording),
        ending,
        asked: null,
        hidden,
        outputBound: bound,
      },
      read,
      catalogue,
    );
    return { outputTokens: fields.output_tokens, costMicrocents: fields.cost_microcents };
  };
  const estimate = (tokensPerSecond: number) =>
    bill(reading, "cut", hiddenOutput(recording, cut.elapsedMs, tokensPerSecond, bound));
  return {
    isVisible,
    truth: bill(trueReading(recording, cut, reading), "completed", null),
    learned: estimate(paceAfterEarlierCalls(provider.id, model, random)),
    cold: estimate(DEFAULT_TOKENS_PER_SECOND),
    before: isVisible ? bill(reading, "cut", null) : { outputTokens: 0, costMicrocents: 0 },
  };
}

export function mayThinkUnseen(recording: Recording): boolean {
  return hiddenOutput(recording, 0, DEFAULT_TOKENS_PER_SECOND, boundOf(recording)) !== null;
}

function boundOf({ provider, model, summary }: Recording): number {
  return outputBound(provider.id, model, summary.maxOutputTokens, summary.choices);
}

export function isPriced({ provider, model, final }: Recording, catalogue: Catalogue, now: number): boolean {
  const cardOf = (name: string) => catalogue.card(provider.id, name, new Date(now), 0, final.served);
  return cardOf(final.servedModel ?? model) !== null || cardOf(model) !== null;
}

/** Without its request, a recording shows nothing about the prompt estimate: it is assumed to be exact. */
function assumedPrompt({ prompt, usage }: Recording): PromptSize {
  return prompt ?? textPrompt(inputTokens(usage) * 4);
}

/** The whole prompt, as finally reported, and the output at the time of the cut. */
function trueReading({ final, usage, written }: Recording, cut: Cut, seen: Reading): Reading {
  const reasoning = Math.min(cut.tokensWritten, written.reasoning);
  const used: { -readonly [kind in keyof Usage]: number } = {};
  for (const kind of inputKinds) used[kind] = usage[kind] ?? 0;
  const output = { output: cut.tokensWritten - reasoning, reasoning };
  // A search is billed once it was made; the frame that shows it is the only indication of when.
  const searches = {
    web_searches: seen.partial?.web_searches,
    file_searches: seen.partial?.file_searches,
  };
  return { ...final, usage: usageOf({ ...used, ...output, ...searches }), reportedCost: null };
}
