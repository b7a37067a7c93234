import { describe, expect, it } from "bun:test";
import { embeddings } from "./embeddings.ts";

function usageOf(body: unknown) {
  const meter = embeddings.meter();
  meter.readAnswer(body);
  return meter.reading().usage;
}

describe("embeddings", () => {
  it("sends every input in one batch", () => {
    const { path, body } = embeddings.encodeRequest({
      model: "models/gemini-embedding-001",
      inputs: ["a", "b"],
      dimensions: 256,
    });
    expect(path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    expect(JSON.parse(String(body))).toEqual({
      requests: ["a", "b"].map(text => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        outputDimensionality: 256,
      })),
    });
  });

  it("requests no dimensions unless the client does", () => {
    const { body } = embeddings.encodeRequest({ model: "gemini-embedding-001", inputs: ["a"] });
    expect(String(body)).not.toContain("outputDimensionality");
  });

  it("reads the vectors in order", () => {
    const body = { embeddings: [{ values: [0.5, -1] }, { values: [0, 1e-9] }] };
    expect(embeddings.decodeAnswer(body, "gemini-embedding-001")).toEqual({
      model: "gemini-embedding-001",
      vectors: [
        [0.5, -1],
        [0, 1e-9],
      ],
    });
  });

  it.each([undefined, {}, { embeddings: {} }, { embeddings: [{}] }, { embeddings: [{ values: ["1"] }] }])(
    "rejects %j, which contains no vectors",
    body => {
      expect(() => embeddings.decodeAnswer(body, "m")).toThrow(
        expect.objectContaining({ code: "provider_invalid_answer" }),
      );
    },
  );

  it("MON-010 reads the usage if google reports it; otherwise, and if it is zero, it is unknown", () => {
    expect(usageOf({ embeddings: [], usageMetadata: { promptTokenCount: 6 } })).toEqual({ input: 6 });
    expect(usageOf({ embeddings: [{ values: [1] }] })).toBeNull();
    expect(usageOf({ usageMetadata: { promptTokenCount: -6 } })).toBeNull();
    expect(usageOf({ embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 0 } })).toBeNull();
  });

  it("MON-010 reads an error that came with the status of a success", () => {
    const error = { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow down" };
    for (const body of [{ error }, [{ error }]]) {
      const meter = embeddings.meter();
      meter.readAnswer(body);
      expect(meter.failure?.()).toMatchObject({ status: 429, message: "slow down" });
    }
    const meter = embeddings.meter();
    meter.readAnswer({ embeddings: [{ values: [1] }] });
    expect(meter.failure?.()).toBeNull();
  });
});
