import { describe, expect, it } from "bun:test";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { simulatedRequest } from "../../../../test/support/servers/simulated-request.ts";
import { simulate } from "../simulate.ts";

const send = (body: JsonObject, model = "gemini-2.5-flash") =>
  simulate("google", simulatedRequest("google", "Hi", { body, model }), { paceMs: 0 });

const post = async (path: string, body: JsonObject) => {
  const headers = { "x-goog-api-key": "k" };
  const request = new Request(`http://provider.test${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return (await simulate("google", request, { paceMs: 0 })).json();
};

const user = { role: "user", parts: [{ text: "Hi" }] };
const called = (extra: JsonObject = {}) => ({
  role: "model",
  parts: [{ functionCall: { name: "f", args: {} }, ...extra }],
});
const answered = (name?: string) => ({ role: "user", parts: [{ functionResponse: { name, response: {} } }] });
const declare = (parameters: JsonObject) => ({
  tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
});

describe("a request that gemini would reject", () => {
  it.each([
    ["an unknown field", { messages: [] }, 'Unknown name "messages"'],
    ["an unknown setting", { generationConfig: { max_tokens: 5 } }, 'Unknown name "max_tokens"'],
    ["a limit above the model's", { generationConfig: { maxOutputTokens: 65_537 } }, "65537 (exclusive)"],
    ["no contents", { contents: [] }, "contents is not specified"],
    ["empty parts", { contents: [{ role: "user", parts: [] }] }, "must not be empty"],
    ["another role", { contents: [{ role: "assistant", parts: [{ text: "a" }] }] }, "valid role"],
    ["a result without a name", { contents: [user, called(), answered()] }, "Name cannot be empty"],
    ["a result without its call", { contents: [user, answered("f")] }, "number of function response parts"],
    ["a call without its result", { contents: [user, called()] }, "function response turn"],
    [
      "a budget and a level",
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } } },
      "only one",
    ],
    [
      "JSON schema words in parameters",
      declare({ type: "object", additionalProperties: false }),
      "additionalProperties",
    ],
    [
      "the same, deep inside",
      declare({ type: "object", properties: { a: { type: "array", items: { $ref: "#" } } } }),
      "$ref",
    ],
    ["a list of types in parameters", declare({ type: ["object", "null"] }), "not repeating"],
    [
      "images of a model that generates none",
      { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } },
      "combination of response modalities",
    ],
    [
      "tools beside a response format",
      {
        ...declare({ type: "object", properties: {} }),
        generationConfig: { responseMimeType: "application/json" },
      },
      "Function calling with a response mime type",
    ],
    ["a schema without its mime type", { generationConfig: { responseJsonSchema: {} } }, "application/json"],
  ] as [string, JsonObject, string][])("is refused with 400: %s", async (_, body, words) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", message: expect.stringContaining(words) },
    });
  });

  it("is rejected by gemini 3 if a call comes back unsigned, and accepted with its signature or the sentinel", async () => {
    const replay = (extra: JsonObject) => ({ contents: [user, called(extra), answered("f")] });
    expect((await send(replay({}), "gemini-3-pro")).status).toBe(400);
    expect((await send(replay({}), "gemini-2.5-flash")).status).toBe(200);
    const sentinel = { thoughtSignature: "skip_thought_signature_validator" };
    expect((await send(replay(sentinel), "gemini-3-pro")).status).toBe(200);
  });

  it("is rejected by gemini 3's image models if text or an image comes back unsigned", async () => {
    const image = { inlineData: { mimeType: "image/png", data: "AA==" } };
    const signed = { thoughtSignature: "S" };
    const status = async (parts: JsonObject[], model = "gemini-3-pro-image-preview") =>
      (await send({ contents: [user, { role: "model", parts }, user] }, model)).status;
    expect(await status([{ text: "Here", ...signed }, { ...image, ...signed }, { text: "it is" }])).toBe(200);
    expect(await status([{ text: "Here" }, { ...image, ...signed }])).toBe(400);
    expect(await status([{ text: "Here", ...signed }, image])).toBe(400);
    expect(await status([{ text: "Here" }, image], "gemini-2.5-flash-image")).toBe(200);
  });

  it("has a lower limit of output at gemini 4 if it is not streamed", async () => {
    const body = { contents: [user], generationConfig: { maxOutputTokens: 32_769 } };
    const ask = (method: string) => post(`/v1beta/models/gemini-4-argon:${method}`, body);
    expect(await ask("generateContent")).toMatchObject({ error: { code: 400 } });
    expect(await ask("streamGenerateContent")).toBeArray();
  });

  it("may use snake_case", async () => {
    const body = {
      system_instruction: { parts: [{ text: "Be short" }] },
      generation_config: { max_output_tokens: 4, thinking_config: { thinking_budget: 0 } },
    };
    expect(await (await send(body)).json()).toMatchObject({
      candidates: [{ finishReason: "MAX_TOKENS" }],
      usageMetadata: { candidatesTokenCount: 4 },
    });
  });
});

describe("gemini's other answers", () => {
  it("streams a JSON array unless events are requested", async () => {
    const body = { contents: [user] };
    expect(await post("/v1beta/models/gemini-2.5-flash:streamGenerateContent", body)).toBeArray();
  });

  it("counts an explicit cache inside the prompt", async () => {
    expect(await (await send({ cachedContent: "cachedContents/x" })).json()).toMatchObject({
      usageMetadata: { cachedContentTokenCount: 1024, promptTokenCount: 1025 },
    });
  });

  it("reports the usage of embeddings only from the second model on", async () => {
    const content = { parts: [{ text: "four" }] };
    const single = await post("/v1beta/models/gemini-embedding-001:embedContent", { content });
    expect(single).toEqual({ embedding: { values: expect.any(Array) } });
    const model = "models/gemini-embedding-2";
    const requests = [{ model, content, outputDimensionality: 4 }];
    expect(await post(`/v1beta/${model}:batchEmbedContents`, { requests })).toEqual({
      embeddings: [{ values: expect.any(Array) }],
      usageMetadata: { promptTokenCount: 1, promptTokenDetails: [{ modality: "TEXT", tokenCount: 1 }] },
    });
  });
});
