import { describe, expect, it } from "bun:test";
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

  it("GW-019 sends every setting under google's name", () => {
    const request: CanonicalRequest = {
      ...plain,
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
        thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
      },
      serviceTier: "flex",
    });
  });

  it("GW-019 requests JSON without a schema by its type alone", () => {
    expect(bodyOf({ ...plain, outputFormat: { kind: "json" } })).toEqual({
      contents,
      generationConfig: { responseMimeType: "application/json" },
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
