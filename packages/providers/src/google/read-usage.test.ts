import { describe, expect, it } from "bun:test";
import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import fc from "fast-check";
import { readUsage } from "./read-usage.ts";

describe("readUsage", () => {
  const cases: [string, object, Usage][] = [
    [
      "plain", // 10 + 5 = 15
      { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      { input: 10, output: 5 },
    ],
    [
      "MON-007 thoughts separate from the answer, tools' prompt separate from the prompt", // 20 + 200 + 90 + 400 = 710
      {
        promptTokenCount: 20,
        candidatesTokenCount: 200,
        toolUsePromptTokenCount: 90,
        thoughtsTokenCount: 400,
        totalTokenCount: 710,
      },
      { input: 110, output: 200, reasoning: 400 }, // input 20 + 90
    ],
    [
      "MON-007 thoughts that the candidates include, by the total", // 341 + 3362 = 3703
      {
        promptTokenCount: 341,
        candidatesTokenCount: 3362,
        thoughtsTokenCount: 3347,
        totalTokenCount: 3703,
      },
      { input: 341, output: 15, reasoning: 3347 }, // 3362 - 3347
    ],
    [
      "MON-006 cached tokens once, out of the prompt", // 5000 - 4800 = 200 fresh
      {
        promptTokenCount: 5000,
        cachedContentTokenCount: 4800,
        candidatesTokenCount: 40,
        totalTokenCount: 5040,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 5000 }],
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: 4800 }],
      },
      { input: 200, cache_read: 4800, output: 40 },
    ],
    [
      "MON-007 audio heard, fresh and cached, and images at the price of text",
      // prompt 1000 = 100 text + 300 image + 600 audio; cached 450 = 50 text + 400 audio
      // fresh 550 = 200 audio (600 - 400) + 350 of the rest
      {
        promptTokenCount: 1000,
        cachedContentTokenCount: 450,
        candidatesTokenCount: 7,
        totalTokenCount: 1007,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 100 },
          { modality: "IMAGE", tokenCount: 300 },
          { modality: "AUDIO", tokenCount: 600 },
        ],
        cacheTokensDetails: [
          { modality: "TEXT", tokenCount: 50 },
          { modality: "AUDIO", tokenCount: 400 },
        ],
      },
      { input: 350, input_audio: 200, cache_read: 50, cache_read_audio: 400, output: 7 },
    ],
    [
      "MON-007 audio and images made", // 1400 = 1290 image + 100 audio + 10 text
      {
        promptTokenCount: 10,
        candidatesTokenCount: 1400,
        totalTokenCount: 1410,
        candidatesTokensDetails: [
          { modality: "IMAGE", tokenCount: 1290 },
          { modality: "AUDIO", tokenCount: 100 },
          { modality: "TEXT", tokenCount: 10 },
        ],
      },
      { input: 10, output: 10, output_audio: 100, output_image: 1290 },
    ],
    [
      "MON-007 a limit reached while thinking: no answer, and the total says so", // 10 + 90 = 100
      { promptTokenCount: 10, thoughtsTokenCount: 90, totalTokenCount: 100 },
      { input: 10, reasoning: 90 },
    ],
    [
      "an answer that only the total counts", // 100 - 10 - 60 = 30
      { promptTokenCount: 10, thoughtsTokenCount: 60, totalTokenCount: 100 },
      { input: 10, reasoning: 60, output: 30 },
    ],
    ["a blocked prompt", { promptTokenCount: 12, totalTokenCount: 12 }, { input: 12 }],
  ];
  it.each(cases)("counts %s", (_, metadata, usage) => {
    expect(readUsage(metadata, false)).toEqual({ usage, missing: null });
  });

  it("MON-007 counts what only the total includes as thoughts, and says that it is a guess", () => {
    // 610 - 100 - 10 - 8 = 492
    const metadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 8,
      candidatesTokenCount: 10,
      totalTokenCount: 610,
    };
    expect(readUsage(metadata, true)).toEqual({
      usage: { input: 108, output: 10, reasoning: 492 },
      missing: null,
      hasUncounted: true,
    });
  });

  it("adds the parts up if the total is less than they are", () => {
    const metadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 20,
      totalTokenCount: 105,
    };
    expect(readUsage(metadata, true)).toEqual({
      usage: { input: 100, output: 10, reasoning: 20 },
      missing: null,
    });
  });

  it.each([
    ["nothing", undefined],
    ["no object", "12"],
    ["only its traffic type", { trafficType: "ON_DEMAND" }],
    ["only a total", { totalTokenCount: 15 }],
    ["a strange count", { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: "7" }],
    ["a negative count", { promptTokenCount: -1, candidatesTokenCount: 5 }],
    ["a fraction", { promptTokenCount: 10, candidatesTokenCount: 0.5 }],
  ])("reports unknown usage if there is %s", (_, metadata) => {
    expect(readUsage(metadata, false)).toBeNull();
  });

  const gaps: [string, object, Usage, "input" | "output" | null][] = [
    [
      "no prompt, and a total",
      { candidatesTokenCount: 5, totalTokenCount: 15 },
      { input: 10, output: 5 },
      null,
    ],
    [
      "no prompt and no total",
      { candidatesTokenCount: 18, thoughtsTokenCount: 58 },
      { output: 18, reasoning: 58 },
      "input",
    ],
    [
      "no prompt, and a total without one",
      { candidatesTokenCount: 5, totalTokenCount: 5 },
      { output: 5 },
      "input",
    ],
    ["neither an answer's count nor a total", { promptTokenCount: 10 }, { input: 10 }, "output"],
    [
      "a total below its parts",
      { promptTokenCount: 10, thoughtsTokenCount: 5, totalTokenCount: 12 },
      { input: 10, reasoning: 5 },
      "output",
    ],
  ];
  it.each(gaps)("keeps the reported counts beside %s", (_, metadata, usage, missing) => {
    expect(readUsage(metadata, false)).toEqual({ usage, missing });
  });

  it("does not trust a total without an answer once an answer was seen", () => {
    const metadata = { promptTokenCount: 10, totalTokenCount: 10 };
    expect(readUsage(metadata, false)).toEqual({ usage: { input: 10 }, missing: null });
    expect(readUsage(metadata, true)).toEqual({ usage: { input: 10 }, missing: "output" });
  });

  it("MON-006 is not certain of the bill if more was cached than sent", () => {
    const counts = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    expect(readUsage({ ...counts, cachedContentTokenCount: 10 }, true)).toEqual({
      usage: { cache_read: 10, output: 5 },
      missing: null,
    });
    expect(readUsage({ ...counts, cachedContentTokenCount: 11 }, true)).toEqual({
      usage: { cache_read: 10, output: 5 },
      missing: null,
      hasUncounted: true,
    });
  });

  it("MON-007 is not certain of the bill if a modality is more than its whole, or no count", () => {
    const counts = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const audio = (tokenCount: unknown) => [{ modality: "AUDIO", tokenCount }];
    expect(readUsage({ ...counts, promptTokensDetails: audio(10) }, true)?.hasUncounted).toBeUndefined();
    for (const details of [
      { promptTokensDetails: audio(11) },
      { promptTokensDetails: audio("10") },
      { cacheTokensDetails: audio(1) },
      { candidatesTokensDetails: audio(6) },
    ])
      expect(readUsage({ ...counts, ...details }, true)?.hasUncounted).toBe(true);
  });

  it("MON-007 is not certain of the price of a generated video, which has no kind of its own", () => {
    const counts = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const video = (tokenCount: number) => [{ modality: "VIDEO", tokenCount }];
    expect(readUsage({ ...counts, candidatesTokensDetails: video(5) }, true)).toEqual({
      usage: { input: 10, output: 5 },
      missing: null,
      hasUncounted: true,
    });
    // What was sent costs as much as text.
    for (const details of [{ promptTokensDetails: video(10) }, { candidatesTokensDetails: video(0) }])
      expect(readUsage({ ...counts, ...details }, true)?.hasUncounted).toBeUndefined();
  });

  it("MON-006 MON-007 takes no more text from the cache than the prompt has, and is not certain which part was audio", () => {
    const counts = {
      candidatesTokenCount: 5,
      promptTokensDetails: [{ modality: "AUDIO", tokenCount: 8000 }],
    };
    const read = (prompt: number, cached: number, cacheTokensDetails?: object[]) =>
      readUsage(
        {
          ...counts,
          promptTokenCount: prompt,
          totalTokenCount: prompt + 5,
          cachedContentTokenCount: cached,
          cacheTokensDetails,
        },
        true,
      );
    // 1,000 of the prompt are not audio, so at least 7,000 of the 8,000 cached tokens are.
    expect(read(9000, 8000)).toEqual({
      usage: { input_audio: 1000, cache_read: 1000, cache_read_audio: 7000, output: 5 },
      missing: null,
      hasUncounted: true,
    });
    const audio = (tokenCount: number) => [{ modality: "AUDIO", tokenCount }];
    const text = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];
    expect(read(9000, 8000, audio(7500))).toMatchObject({
      usage: { input: 500, input_audio: 500, cache_read: 500, cache_read_audio: 7500 },
      hasUncounted: true,
    });
    for (const certain of [
      read(9000, 8000, [...text(500), ...audio(7500)]),
      read(9000, 8000, [...text(1000), ...audio(7000)]),
      read(9000, 9000), // all of it
      read(9000, 0),
    ])
      expect(certain?.hasUncounted).toBeUndefined();
    expect(
      readUsage({ promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: 4 }, true),
    ).toEqual({
      usage: { input: 6, cache_read: 4, output: 5 },
      missing: null,
    });
  });

  it("MON-010 keeps thoughts that are counted beside neither prompt nor answer", () => {
    const metadata = { thoughtsTokenCount: 50, totalTokenCount: 170 };
    expect(readUsage(metadata, true)).toEqual({ usage: { reasoning: 50 }, missing: "input" });
    expect(readUsage({ totalTokenCount: 170 }, true)).toBeNull();
  });

  it("MON-006 MON-007 counts every token once, for any details", () => {
    const tokens = fc.nat(1_000_000);
    const details = fc.array(
      fc.record({ modality: fc.constantFrom("TEXT", "AUDIO", "IMAGE", "VIDEO"), tokenCount: tokens }),
    );
    const metadata = fc.record(
      {
        promptTokenCount: tokens,
        candidatesTokenCount: tokens,
        cachedContentTokenCount: tokens,
        toolUsePromptTokenCount: tokens,
        thoughtsTokenCount: tokens,
        promptTokensDetails: details,
        cacheTokensDetails: details,
        candidatesTokensDetails: details,
      },
      { requiredKeys: ["promptTokenCount", "candidatesTokenCount"] },
    );
    fc.assert(
      fc.property(metadata, counts => {
        const { usage, missing } = readUsage(counts, true) ?? { usage: {}, missing: "input" };
        expect(missing).toBeNull();
        expect(inputTokens(usage)).toBe(counts.promptTokenCount + (counts.toolUsePromptTokenCount ?? 0));
        expect(outputTokens(usage)).toBe(counts.candidatesTokenCount + (counts.thoughtsTokenCount ?? 0));
      }),
    );
  });
});
