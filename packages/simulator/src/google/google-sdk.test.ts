import { afterAll, describe, expect, it } from "bun:test";
import { FinishReason, GoogleGenAI } from "@google/genai";
import { serveProvider } from "../../../../test/support/servers/serve-provider.ts";

const served = serveProvider("google");
afterAll(() => served.stop());
const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: served.url } });
const contents = "What is the weather in Paris?";
const tool = (name: string) => ({
  name,
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } },
});

describe("the official google client", () => {
  it("reads an answer with thoughts counted separately", async () => {
    const answer = await models.generateContent({ model: "gemini-2.5-flash", contents });
    expect(answer.text).toContain(contents);
    const usage = answer.usageMetadata;
    expect(usage?.thoughtsTokenCount).toBeGreaterThan(0);
    expect(usage?.totalTokenCount).toBe(
      (usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    );
  });

  it("streams the same text as the plain answer, and thoughts if requested", async () => {
    const config = { thinkingConfig: { includeThoughts: true } };
    const plain = await models.generateContent({ model: "gemini-3-flash", contents, config });
    const chunks = await Array.fromAsync(
      await models.generateContentStream({ model: "gemini-3-flash", contents, config }),
    );
    expect(chunks.map(chunk => chunk.text ?? "").join("")).toBe(plain.text ?? "");
    const parts = chunks.flatMap(chunk => chunk.candidates?.[0]?.content?.parts ?? []);
    expect(parts[0]?.thought).toBe(true);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe(FinishReason.STOP);
    expect(chunks.at(-1)?.usageMetadata).toEqual(plain.usageMetadata);
  });

  it("gets complete calls, the first one signed, with STOP, and text for their results", async () => {
    const config = { tools: [{ functionDeclarations: [tool("weather"), tool("clock")] }] };
    const chunks = await Array.fromAsync(
      await models.generateContentStream({ model: "gemini-3-pro", contents, config }),
    );
    const [candidate] = chunks.at(-1)?.candidates ?? [];
    expect(candidate?.finishReason).toBe(FinishReason.STOP);
    const parts = candidate?.content?.parts ?? [];
    expect(
      parts.map(part => [part.functionCall?.name, part.functionCall?.args, "thoughtSignature" in part]),
    ).toEqual([
      ["weather", { city: "Paris" }, true],
      ["clock", { city: "Paris" }, false],
    ]);
    const results = ["weather", "clock"].map(name => ({
      functionResponse: { name, response: { result: "18" } },
    }));
    const answer = await models.generateContent({
      model: "gemini-3-pro",
      contents: [
        { role: "user", parts: [{ text: contents }] },
        { role: "model", parts },
        { role: "user", parts: results },
      ],
      config,
    });
    expect(answer.text).toContain("18");
  });

  it("parses structured output", async () => {
    const answer = await models.generateContent({
      model: "gemini-2.5-flash",
      contents,
      config: {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object", properties: { n: { type: "integer" } } },
      },
    });
    expect(JSON.parse(answer.text ?? "")).toEqual({ n: 1 });
  });

  it("sees a cut answer, and one in which thinking used up the limit", async () => {
    const ask = (maxOutputTokens: number) =>
      models.generateContent({ model: "gemini-2.5-flash", contents, config: { maxOutputTokens } });
    const cut = await ask(40);
    expect(cut.candidates?.[0]?.finishReason).toBe(FinishReason.MAX_TOKENS);
    expect(cut.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
    const thoughtOnly = await ask(5);
    expect(thoughtOnly.candidates?.[0]?.content).toEqual({ role: "model" });
    expect(thoughtOnly.usageMetadata).not.toHaveProperty("candidatesTokenCount");
  });

  it("reads embeddings", async () => {
    const config = { outputDimensionality: 8 };
    const answer = await models.embedContent({
      model: "gemini-embedding-001",
      contents: ["one", "two"],
      config,
    });
    expect(answer.embeddings?.map(embedding => embedding.values?.length)).toEqual([8, 8]);
  });

  it("throws its own error, before and inside a stream", async () => {
    const simulate = (what: string) => ({ model: "gemini-2.5-flash", contents: `tollgate:simulate=${what}` });
    await expect(models.generateContent(simulate("rate_limit"))).rejects.toMatchObject({ status: 429 });
    const stream = await models.generateContentStream(simulate("error_after_200"));
    await expect(Array.fromAsync(stream)).rejects.toThrow("overloaded");
  });
});
