import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";
import { openai } from "../../openai/provider.ts";
import { openaiEmbeddings } from "./dialect.ts";

const base = { model: "text-embedding-3-small", input: "hi" };

describe("GW-023 embeddings requests", () => {
  for (const input of ["hi", ["a", "b"], [1, 2, 3], [[1], [2, 3]]])
    it(`accept input ${JSON.stringify(input)}`, () => {
      expect(
        openaiEmbeddings.summarize({ ...base, input, encoding_format: "base64", dimensions: 8 }),
      ).toEqual({
        model: "text-embedding-3-small",
        stream: false,
        wantsStreamUsage: false,
        maxOutputTokens: null,
        choices: 1,
      });
    });

  const bad: [object, string][] = [
    [{ model: 1 }, "`model`"],
    [{ input: undefined }, "`input`"],
    [{ input: "" }, "`input`"],
    [{ input: [] }, "`input`"],
    [{ input: ["a", ""] }, "`input`"],
    [{ input: ["a", 1] }, "`input`"],
    [{ input: [1.5] }, "`input`"],
    [{ input: [[]] }, "`input`"],
    [{ encoding_format: "int8" }, "`encoding_format`"],
    [{ dimensions: 0 }, "`dimensions`"],
  ];
  for (const [change, field] of bad)
    it(`reject ${JSON.stringify(change)} and name ${field}`, () => {
      expect(() => openaiEmbeddings.summarize({ ...base, ...change })).toThrow(field);
    });

  it("are decoded into a list of texts", () => {
    expect(openaiEmbeddings.decodeRequest(base)).toEqual({ model: base.model, inputs: ["hi"] });
    expect(openaiEmbeddings.decodeRequest({ ...base, input: ["a", "b"], dimensions: 3 })).toEqual({
      model: base.model,
      inputs: ["a", "b"],
      dimensions: 3,
    });
  });

  for (const input of [
    [1, 2],
    [[1], [2]],
  ])
    it(`cannot translate the tokens ${JSON.stringify(input)}`, () => {
      expect(() => openaiEmbeddings.decodeRequest({ ...base, input })).toThrow("`input` must be text");
    });

  it("pass through unchanged when native, except for the model's name", () => {
    expect(openaiEmbeddings.prepareNative(base, base.model)).toBe(base);
    expect(openaiEmbeddings.prepareNative(base, "x")).toEqual({ model: "x", input: "hi" });
  });

  it("cannot be streamed", () => {
    const summary = openaiEmbeddings.summarize(base);
    expect(() => openaiEmbeddings.openNativeStream(openai.conversation.meter(), summary)).toThrow("streamed");
  });
});

describe("GW-023 embeddings answers", () => {
  const answer = { model: "gemini-embedding-2", vectors: [[0.5, -1], [2]] };

  it("are lists of numbers", () => {
    expect(JSON.parse(openaiEmbeddings.encodeAnswer(answer, { input: 4 }, "float"))).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -1] },
        { object: "embedding", index: 1, embedding: [2] },
      ],
      model: "gemini-embedding-2",
      usage: { prompt_tokens: 4, total_tokens: 4 },
    });
  });

  it("in base64 are float32, little-endian", () => {
    // 0.5 is 0x3f000000, -1 is 0xbf800000, 2 is 0x40000000; lowest byte first.
    const { data } = JSON.parse(openaiEmbeddings.encodeAnswer(answer, null, "base64"));
    expect(Buffer.from(data[0].embedding, "base64").toString("hex")).toBe("0000003f000080bf");
    expect(Buffer.from(data[1].embedding, "base64").toString("hex")).toBe("00000040");
  });

  it("omit unknown usage", () => {
    expect(JSON.parse(openaiEmbeddings.encodeAnswer(answer, null, "float"))).not.toHaveProperty("usage");
  });

  it("in base64 are read back by the official client, to the bit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
        async vector => {
          const body = openaiEmbeddings.encodeAnswer(
            { model: "m", vectors: [vector] },
            { input: 1 },
            "base64",
          );
          const client = new OpenAI({
            apiKey: "k",
            fetch: async () => new Response(body, { headers: { "content-type": "application/json" } }),
          });
          const { data } = await client.embeddings.create(base);
          expect(data[0]?.embedding).toEqual(vector);
        },
      ),
      { numRuns: 20 },
    );
  });
});
