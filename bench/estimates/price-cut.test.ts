import { describe, expect, it } from "bun:test";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { seededRandom } from "@tollgate/core/statistics/seeded-random";
import fc from "fast-check";
import { type PricedCut, priceCut } from "./price-cut.ts";
import { type Recording, readRecording } from "./recording.ts";

// 100 cents per million are 10 microcents per token.
const catalogue = createCatalogue({
  overrides: parsePriceOverrides([
    { provider: "openai", model: "o9", input_per_million_cents: 100, output_per_million_cents: 1000 },
  ]),
});

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "o9", ...fields })}\n\n`;
const text = (content: string) => chunk({ choices: [{ index: 0, delta: { content } }] });

/** 500 tokens in, 400 reasoning, 100 text in two frames of equal length. */
const sse = [
  text(""),
  text("a".repeat(200)),
  text("b".repeat(200)),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  chunk({
    choices: [],
    usage: {
      prompt_tokens: 500,
      completion_tokens: 500,
      completion_tokens_details: { reasoning_tokens: 400 },
    },
  }),
  "data: [DONE]\n\n",
].join("");

function recorded(request: object | null): Recording {
  const recording = readRecording({
    name: "openai/o9",
    provider: "openai",
    sse: Buffer.from(sse),
    request: request && JSON.stringify(request),
  });
  if ("why" in recording) throw new Error(recording.why);
  return recording;
}

function cutsOf(recording: Recording, seed: number): PricedCut[] {
  const random = seededRandom(seed);
  return Array.from({ length: 50 }, () => priceCut(recording, random, catalogue, Date.parse("2026-11-15")));
}

describe("a recorded stream", () => {
  it("has the time of each frame, and the meter's reading at that time", () => {
    const recording = recorded(null);
    expect(recording.written).toEqual({ reasoning: 400, answer: 100 });
    expect(recording.whenSent).toEqual([0, 450, 500, 500, 500]);
    expect(recording.readings.map(reading => reading.outputBytes)).toEqual([0, 0, 200, 400, 400, 400]);
    expect(recording.readings.map(reading => reading.usage !== null).lastIndexOf(false)).toBe(4);
  });

  it("cannot be measured without its usage", () => {
    const cut = Buffer.from(sse.slice(0, sse.indexOf("finish_reason")));
    expect(readRecording({ name: "openai/cut", provider: "openai", sse: cut, request: null })).toEqual({
      why: "it does not tell its usage",
    });
  });
});

describe("a cut call", () => {
  it("used its whole prompt and the output so far, never the whole answer", () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        for (const { truth, isVisible } of cutsOf(recorded(null), seed)) {
          expect(truth.costMicrocents).toBe(500 * 10 + truth.outputTokens * 100);
          expect(truth.outputTokens).toBeLessThan(500);
          expect(isVisible).toBe(truth.outputTokens >= 450);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("was free until the first visible byte under the old rule, and is not any more", () => {
    const unseen = cutsOf(recorded(null), 1).filter(cut => !cut.isVisible);
    expect(unseen.length).toBeGreaterThan(0);
    for (const { before, learned, cold } of unseen) {
      expect(before).toEqual({ outputTokens: 0, costMicrocents: 0 });
      expect(learned.costMicrocents).toBeGreaterThanOrEqual(500 * 10);
      expect(cold.costMicrocents).toBeGreaterThanOrEqual(500 * 10);
    }
  });

  it("is estimated from the recorded request, within its output limit", () => {
    const request = { model: "o9", max_completion_tokens: 7, messages: [] };
    const prompt = Math.ceil(JSON.stringify(request).length / 4);
    for (const { cold, isVisible } of cutsOf(recorded(request), 1)) {
      // What is visible has the bytes of more tokens than the call allowed.
      expect(cold.outputTokens).toBe(isVisible ? 7 : Math.min(cold.outputTokens, 7));
      expect(cold.costMicrocents).toBe(prompt * 10 + cold.outputTokens * 100);
    }
  });
});
