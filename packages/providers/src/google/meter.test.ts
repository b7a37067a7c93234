import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { meter } from "./meter.ts";

function frame(parts: unknown[], usageMetadata?: object, more: object = {}): object {
  return {
    candidates: [{ content: { role: "model", parts } }],
    ...(usageMetadata && { usageMetadata }),
    modelVersion: "gemini-2.5-flash",
    responseId: "RESP",
    ...more,
  };
}

function readFrames(...frames: unknown[]) {
  const reading = meter();
  for (const each of frames) reading.readFrame(each);
  return reading.reading();
}

const grounded = (modelVersion: string, ...queries: string[]) => ({
  candidates: [{ content: { parts: [{ text: "x" }] }, groundingMetadata: { webSearchQueries: queries } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion,
});

const finished = { candidates: [{ finishReason: "STOP" }] };

describe("meter", () => {
  it("MON-007 reads an answer: model, id, actual service tier, usage and bytes", () => {
    const reading = meter();
    reading.readAnswer(
      frame(
        [
          { text: "hm", thought: true }, // 2 bytes
          { text: "né" }, // 3 bytes
          { functionCall: { name: "f", args: { a: 1 } } }, // {"a":1} is 7 bytes
        ],
        { promptTokenCount: 8, candidatesTokenCount: 4, totalTokenCount: 12, serviceTier: "flex" },
      ),
    );
    expect(reading.reading()).toEqual({
      servedModel: "gemini-2.5-flash",
      usage: { input: 8, output: 4 },
      additional: [],
      served: { serviceTier: "flex", speed: null, region: null },
      reportedCost: null,
      outputBytes: 12,
      responseId: "RESP",
    });
  });

  it("MON-007 reads the service from the tier, from Vertex's traffic type, or from the head", () => {
    const counts = { promptTokenCount: 8, candidatesTokenCount: 4, totalTokenCount: 12 };
    const tierOf = (metadata: object, head: Record<string, string> = {}) => {
      const reading = meter();
      reading.readHead?.(new Headers(head));
      reading.readAnswer(frame([{ text: "a" }], metadata));
      return reading.reading().served.serviceTier;
    };
    const head = { "x-gemini-service-tier": "flex" };
    expect(tierOf(counts)).toBeNull();
    expect(tierOf(counts, head)).toBe("flex");
    expect(tierOf({ ...counts, trafficType: "ON_DEMAND_PRIORITY" })).toBe("ON_DEMAND_PRIORITY");
    expect(tierOf({ ...counts, trafficType: "PROVISIONED_THROUGHPUT" }, head)).toBe("PROVISIONED_THROUGHPUT");
    expect(tierOf({ ...counts, trafficType: "ON_DEMAND", serviceTier: "priority" }, head)).toBe("priority");
    expect(
      tierOf({ ...counts, trafficType: "TRAFFIC_TYPE_UNSPECIFIED", serviceTier: "unspecified" }),
    ).toBeNull();
  });

  it("GW-020 uses the last usage of a stream, never the sum, and skips frames without counts", () => {
    const { usage } = readFrames(
      frame([{ text: "a" }], { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 9 }),
      frame([{ text: "b" }], { trafficType: "ON_DEMAND" }),
      frame([{ text: "c" }], { promptTokenCount: 8, candidatesTokenCount: 6, totalTokenCount: 14 }),
      frame([], { trafficType: "ON_DEMAND" }),
      frame([]),
      finished,
    );
    expect(usage).toEqual({ input: 8, output: 6 });
  });

  it("MON-018 treats counts as partial if output followed them", () => {
    const counts = { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 9 };
    for (const later of [frame([{ text: "bcd" }]), frame([{ text: "bcd" }], { trafficType: "ON_DEMAND" })]) {
      expect(readFrames(frame([{ text: "a" }], counts), later, finished)).toMatchObject({
        usage: null,
        partial: { input: 8, output: 1 },
        outputBytes: 4,
      });
    }
  });

  it("MON-007 passes on that the total includes more than was counted", () => {
    const counts = { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 30 };
    expect(readFrames(frame([{ text: "a" }], counts), finished)).toMatchObject({
      usage: { input: 8, output: 1, reasoning: 21 },
      isBillUncertain: true,
    });
  });

  it("MON-018 treats the counts of an unfinished stream as partial", () => {
    const cut = readFrames(
      frame([{ text: "a" }], { promptTokenCount: 8, candidatesTokenCount: 6, totalTokenCount: 14 }),
      grounded("gemini-3.8-flash", "a"),
    );
    expect(cut).toMatchObject({ usage: null, partial: { input: 10, output: 5, web_searches: 1 } });
  });

  it("MON-018 counts an image that a cut stream has shown as the smallest that a model generates", () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
    const prompt = { promptTokenCount: 5, totalTokenCount: 5 };
    expect(readFrames(frame([image], prompt)).partial).toEqual({ input: 5, output_image: 1290 });
    expect(readFrames(frame([image, { text: "Here" }, image])).partial).toEqual({ output_image: 2580 });
    const details = [{ modality: "IMAGE", tokenCount: 1120 }];
    const reported = { ...prompt, candidatesTokenCount: 1120, candidatesTokensDetails: details };
    expect(readFrames(frame([image], reported)).partial).toEqual({ input: 5, output_image: 1290 });
  });

  it("MON-007 counts the tokens of an image as such, even if the details do not name them", () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
    const billOf = (parts: unknown[], more: object = {}) => {
      const counts = { promptTokenCount: 7, candidatesTokenCount: 1290, totalTokenCount: 1297, ...more };
      const whole = meter();
      whole.readAnswer(frame(parts, counts));
      const { usage, isBillUncertain = false } = whole.reading();
      const streamed = readFrames(...parts.map(part => frame([part], counts)), finished);
      expect({ usage: streamed.usage, isBillUncertain: streamed.isBillUncertain ?? false }).toEqual({
        usage,
        isBillUncertain,
      });
      return { usage, isBillUncertain };
    };
    expect(billOf([image])).toEqual({ usage: { input: 7, output_image: 1290 }, isBillUncertain: false });
    const withText = billOf([{ text: "Here" }, image]); // a token of text
    expect(withText).toEqual({ usage: { input: 7, output: 1, output_image: 1289 }, isBillUncertain: true });
    const candidatesTokensDetails = [{ modality: "IMAGE", tokenCount: 1280 }];
    const detailed = billOf([{ text: "Here" }, image], { candidatesTokensDetails });
    expect(detailed).toEqual({ usage: { input: 7, output: 10, output_image: 1280 }, isBillUncertain: false });
    const thinking = billOf([image], { thoughtsTokenCount: 5, totalTokenCount: 1302 });
    expect(thinking.usage).toEqual({ input: 7, reasoning: 5, output_image: 1290 });
  });

  it("reports only bytes until google reports usage", () => {
    expect(readFrames(frame([{ text: "abc" }]))).toMatchObject({ usage: null, outputBytes: 3 });
    expect(readFrames()).toMatchObject({ usage: null, servedModel: null, responseId: null, outputBytes: 0 });
  });

  it("does not treat text as free if a cut stream counted only its prompt", () => {
    const cut = frame([{ text: "abc" }], { promptTokenCount: 8, totalTokenCount: 8 });
    expect(readFrames(cut)).toMatchObject({ usage: null, partial: { input: 8 }, outputBytes: 3 });
  });

  it("MON-007 estimates only the missing count: thoughts and searches stay as reported", () => {
    const parts = [{ text: "hm", thought: true }, { text: "abc" }];
    const reported = { promptTokenCount: 417, thoughtsTokenCount: 71, totalTokenCount: 488 };
    const body = grounded("gemini-3-flash-preview", "q");
    const [candidate] = body.candidates;
    const answer = { ...body, candidates: [{ ...candidate, content: { parts } }], usageMetadata: reported };
    expect(readFrames(answer)).toMatchObject({
      usage: null,
      partial: { input: 417, reasoning: 71, web_searches: 1 },
      outputBytes: 3,
    });
    const { partial, isInputMissing } = readFrames(
      frame([{ text: "a" }], { candidatesTokenCount: 18, thoughtsTokenCount: 58 }),
    );
    expect({ partial, isInputMissing }).toEqual({
      partial: { output: 18, reasoning: 58 },
      isInputMissing: true,
    });
  });

  it("GW-020 keeps the prompt of an earlier frame if a later one counts only its answer", () => {
    const { usage } = readFrames(
      frame([{ text: "a" }], { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 9 }),
      frame([{ text: "b" }], { candidatesTokenCount: 6 }),
      finished,
    );
    expect(usage).toEqual({ input: 8, output: 6 });
  });

  it("GW-020 adds the thoughts that only a later frame counts, and ignores counts that are null", () => {
    const first = frame([{ text: "a" }], {
      promptTokenCount: 100,
      candidatesTokenCount: 20,
      totalTokenCount: 120,
    });
    const nulls = frame([], { promptTokenCount: null, candidatesTokenCount: null });
    expect(readFrames(first, nulls, finished).usage).toEqual({ input: 100, output: 20 });
    const expected = { input: 100, output: 20, reasoning: 15 };
    for (const total of [{}, { totalTokenCount: 135 }]) {
      const thoughts = frame([], { thoughtsTokenCount: 15, ...total });
      expect(readFrames(first, thoughts, finished).usage).toEqual(expected);
    }
    const uncounted = frame([{ text: "b" }], { thoughtsTokenCount: 15 });
    expect(readFrames(first, uncounted, finished)).toMatchObject({ usage: null, partial: expected });
  });

  it("never throws, for any input", () => {
    const value = fc.jsonValue();
    const nearly = fc.record({
      candidates: fc.array(
        fc.record({
          content: fc.record({ parts: value }),
          groundingMetadata: fc.oneof(
            value,
            fc.record({ webSearchQueries: value, imageSearchQueries: value, groundingChunks: value }),
          ),
          urlContextMetadata: value,
        }),
      ),
      usageMetadata: fc.record({
        promptTokenCount: fc.oneof(value, fc.double(), fc.maxSafeInteger()),
        candidatesTokenCount: fc.oneof(value, fc.maxSafeInteger()),
        cachedContentTokenCount: fc.maxSafeInteger(),
        promptTokensDetails: value,
      }),
      modelVersion: value,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(value, nearly)), frames => {
        expect(() => readFrames(...frames)).not.toThrow();
      }),
    );
  });
});
