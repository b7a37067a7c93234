import { describe, expect, it } from "bun:test";
import { cutAt, type ShownFrame, tokensWhenSent } from "./timeline.ts";

const frame = (bytes: number, isThinking = false, toldTokens = 0): ShownFrame => ({
  bytes,
  isThinking,
  toldTokens,
});

describe("when frames were sent", () => {
  it("puts hidden reasoning before the first visible byte, and spreads the answer over its bytes", () => {
    const frames = [frame(0), frame(10), frame(30), frame(0)];
    expect(tokensWhenSent(frames, { reasoning: 100, answer: 20 })).toEqual([0, 105, 120, 120]);
  });

  it("spreads reasoning over the frames that show it, wherever they are", () => {
    const frames = [frame(10, true), frame(5), frame(30, true), frame(5)];
    expect(tokensWhenSent(frames, { reasoning: 80, answer: 20 })).toEqual([20, 30, 90, 100]);
  });

  it("counts visible thinking as answer if the provider bills both as one", () => {
    expect(tokensWhenSent([frame(30, true), frame(10)], { reasoning: 0, answer: 20 })).toEqual([15, 20]);
  });

  it("uses the provider's own count, and never decreases", () => {
    const frames = [frame(10, false, 70), frame(10), frame(20, false, 90)];
    expect(tokensWhenSent(frames, { reasoning: 50, answer: 40 })).toEqual([70, 70, 90]);
  });
});

describe("cutAt", () => {
  // 500 ms before the first token, then 100 tokens per second: 120 tokens take 1,700 ms.
  const pace = { latencyMs: 500, tokensPerSecond: 100 };
  const whenSent = [0, 105, 120, 120];

  it("has neither tokens nor frames before the model starts", () => {
    expect(cutAt(0.25, whenSent, 120, pace)).toEqual({ elapsedMs: 425, tokensWritten: 0, framesSeen: 0 });
  });

  it("counts unseen output", () => {
    expect(cutAt(0.5, whenSent, 120, pace)).toEqual({ elapsedMs: 850, tokensWritten: 35, framesSeen: 1 });
  });

  it("sees a frame once its tokens are generated, and never the last one", () => {
    expect(cutAt(0.95, whenSent, 120, pace)).toMatchObject({ tokensWritten: 111, framesSeen: 2 });
    expect(cutAt(1, whenSent, 120, pace)).toMatchObject({ tokensWritten: 119, framesSeen: 2 });
  });
});
