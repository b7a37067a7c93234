import { describe, expect, it } from "bun:test";
import { answerToolName } from "../answer-tool.ts";
import type { CanonicalRequest } from "../canonical/request.ts";
import { encodeRequest } from "./encode-request.ts";

const plain: CanonicalRequest = {
  model: "gemini-2.5-flash",
  stream: false,
  turns: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
};
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const bodyOf = (request: CanonicalRequest): unknown => JSON.parse(String(encodeRequest(request).body));

describe("encodeRequest", () => {
  it("GW-019 sends a plain question with nothing added", () => {
    expect(encodeRequest(plain)).toEqual({
      path: "/v1beta/models/gemini-2.5-flash:generateContent",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contents }),
    });
  });

  it("GW-020 requests a stream by path", () => {
    expect(encodeRequest({ ...plain, stream: true }).path).toBe(
      "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    );
  });

  it("lowers the limit of an answer that is not streamed to what gemini 4 accepts", () => {
    const asked = { ...plain, model: "gemini-4-argon", maxOutputTokens: 65_536 };
    expect(bodyOf(asked)).toMatchObject({ generationConfig: { maxOutputTokens: 32_768 } });
    expect(encodeRequest(asked).maxOutputTokens).toBe(32_768);
    for (const other of [{ stream: true }, { model: "gemini-3.8-flash" }, { model: "gemini-flash-latest" }])
      expect(bodyOf({ ...asked, ...other })).toMatchObject({ generationConfig: { maxOutputTokens: 65_536 } });
    expect(bodyOf({ ...asked, maxOutputTokens: 9 })).toMatchObject({
      generationConfig: { maxOutputTokens: 9 },
    });
  });

  it("GW-019 sends every setting under google's name", () => {
    const request: CanonicalRequest = {
      ...plain,
      model: "gemini-3-pro-preview",
      maxOutputTokens: 100,
      temperature: 0,
      topP: 0.9,
      topK: 40,
      stop: ["END"],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: -0.1,
      reasoning: { effort: "low" },
      outputFormat: { kind: "schema", name: "answer", schema: { type: "object" }, strict: true },
      tools: [{ name: "now" }],
      toolChoice: { mode: "required" },
      parallelToolCalls: false,
      serviceTier: "flex",
      user: "user-1",
    };
    expect(bodyOf(request)).toEqual({
      contents,
      tools: [{ functionDeclarations: [{ name: "now" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0,
        topP: 0.9,
        topK: 40,
        stopSequences: ["END"],
        seed: 7,
        frequencyPenalty: 0.1,
        presencePenalty: -0.1,
        responseMimeType: "application/json",
        responseJsonSchema: { type: "object" },
        thinkingConfig: { includeThoughts: true, thinkingLevel: "low" },
      },
      serviceTier: "flex",
    });
  });

  it("GW-019 requests images if the caller does", () => {
    expect(bodyOf({ ...plain, modalities: ["image", "text"] })).toEqual({
      contents,
      generationConfig: { responseModalities: ["IMAGE", "TEXT"] },
    });
  });

  it("GW-019 requests JSON without a schema by its type alone", () => {
    expect(bodyOf({ ...plain, outputFormat: { kind: "json" } })).toEqual({
      contents,
      generationConfig: { responseMimeType: "application/json" },
    });
  });

  describe("GW-019 a response format beside tools, which gemini before 3 rejects", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const outputFormat = { kind: "schema", name: "n", schema } as const;
    const tools = [{ name: "now" }];
    const answer = { name: answerToolName, parametersJsonSchema: schema };

    it("is a tool that gives the answer, and a call is forced", () => {
      expect(bodyOf({ ...plain, outputFormat, tools })).toMatchObject({
        tools: [{ functionDeclarations: [{ name: "now" }, answer] }],
        toolConfig: { functionCallingConfig: { mode: "ANY" } },
      });
      expect(bodyOf({ ...plain, outputFormat, tools })).not.toHaveProperty("generationConfig");
    });

    it("is the only tool to call if the caller allows no other", () => {
      expect(bodyOf({ ...plain, outputFormat, tools, toolChoice: { mode: "none" } })).toMatchObject({
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [answerToolName] } },
      });
    });

    it("is omitted if the caller forces a call", () => {
      const body = bodyOf({ ...plain, outputFormat, tools, toolChoice: { mode: "tool", name: "now" } });
      expect(body).toEqual({
        contents,
        tools: [{ functionDeclarations: tools }],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["now"] } },
      });
    });

    it("is an instruction without a schema, after the caller's own", () => {
      const turns = [{ role: "system", parts: [{ kind: "text", text: "s" }] }, ...plain.turns] as const;
      expect(bodyOf({ ...plain, turns, outputFormat: { kind: "json" }, tools })).toEqual({
        systemInstruction: { parts: [{ text: "s" }, { text: expect.stringContaining("JSON object") }] },
        contents,
        tools: [{ functionDeclarations: tools }],
      });
    });

    it("is sent as it is without tools, and from gemini 3 on", () => {
      const generationConfig = { responseMimeType: "application/json", responseJsonSchema: schema };
      expect(bodyOf({ ...plain, outputFormat, tools: [] })).toMatchObject({ generationConfig });
      const newer = { ...plain, model: "gemini-3-flash-preview", outputFormat, tools };
      expect(bodyOf(newer)).toMatchObject({ generationConfig, tools: [{ functionDeclarations: tools }] });
    });

    it("reserves the tool's name", () => {
      expect(() => bodyOf({ ...plain, tools: [{ name: answerToolName }] })).toThrow(/`tools` is reserved/);
    });
  });

  it.each([
    ["flex", "flex"],
    ["priority", "priority"],
    ["standard", "standard"],
    ["auto", undefined],
    ["default", undefined],
    ["standard_only", undefined],
  ])("passes service tier %s as %s", (serviceTier, sent) => {
    expect(bodyOf({ ...plain, serviceTier })).toEqual({ contents, ...(sent && { serviceTier: sent }) });
  });
});
