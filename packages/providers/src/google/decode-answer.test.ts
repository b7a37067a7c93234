import { describe, expect, it } from "bun:test";
import { answerToolName } from "../answer-tool.ts";
import { decodeAnswer } from "./decode-answer.ts";

function answer(parts: unknown[], finishReason = "STOP"): unknown {
  return {
    candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
    modelVersion: "gemini-2.5-flash",
    responseId: "RESP",
  };
}

describe("decodeAnswer", () => {
  it("GW-019 joins the pieces of a text", () => {
    expect(decodeAnswer(answer([{ text: "Hel" }, { text: "lo" }, { text: "" }]))).toEqual({
      id: "RESP",
      model: "gemini-2.5-flash",
      parts: [{ kind: "text", text: "Hello" }],
      finish: "stop",
    });
  });

  it("GW-019 reads thoughts, text and calls in order, each with its own signature", () => {
    const { parts, finish } = decodeAnswer(
      answer([
        { text: "Let me ", thought: true },
        { text: "see.", thought: true, thoughtSignature: "S1" },
        { text: "More.", thought: true },
        { text: "Calling." },
        { functionCall: { name: "a", args: { x: [1] } }, thoughtSignature: "S2" },
        { functionCall: { name: "b", id: "own" } },
      ]),
    );
    expect(parts).toEqual([
      { kind: "reasoning", text: "Let me see.", signature: "S1" },
      { kind: "reasoning", text: "More." },
      { kind: "text", text: "Calling." },
      { kind: "tool_call", id: "call_RESP_0", name: "a", arguments: '{"x":[1]}', signature: "S2" },
      { kind: "tool_call", id: "own", name: "b", arguments: "{}" },
    ]);
    expect(finish).toBe("tool_calls");
  });

  it("GW-019 reads a text with the first signature of its pieces", () => {
    const pieces = [
      { text: "Hel" },
      { text: "lo", thoughtSignature: "S1" },
      { text: "", thoughtSignature: "S2" },
    ];
    expect(decodeAnswer(answer(pieces)).parts).toEqual([{ kind: "text", text: "Hello", signature: "S1" }]);
    const call = { functionCall: { name: "a", id: "own" } };
    expect(decodeAnswer(answer([call, { text: "", thoughtSignature: "S" }])).parts).toHaveLength(1);
  });

  it("GW-019 reads the input of the answer tool as the answer", () => {
    const call = { functionCall: { name: answerToolName, args: { a: 1 } } };
    expect(decodeAnswer(answer([call]))).toMatchObject({
      parts: [{ kind: "text", text: '{"a":1}' }],
      finish: "stop",
    });
  });

  it("GW-019 keeps only the first structured answer, and no text beside it", () => {
    const call = (a: number) => ({ functionCall: { name: answerToolName, args: { a } } });
    const parts = [{ text: "Hm.", thought: true }, { text: "Sure: " }, call(1), call(2), { text: "Done." }];
    expect(decodeAnswer(answer(parts)).parts).toEqual([
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: '{"a":1}' },
    ]);
  });

  it("GW-019 reads generated images, with their signature", () => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBO" }, thoughtSignature: "S" };
    expect(decodeAnswer(answer([{ text: "Here." }, image]))).toMatchObject({
      parts: [
        { kind: "text", text: "Here." },
        { kind: "generated_image", mediaType: "image/png", data: "iVBO", signature: "S" },
      ],
      finish: "stop",
    });
  });

  it("omits what no client can receive: drafts of images, audio, executed code, calls without a name", () => {
    const odd = [
      { inlineData: { mimeType: "image/png", data: "iVBO" }, thought: true },
      { inlineData: { mimeType: "audio/wav", data: "UklG" } },
      { executableCode: { code: "1" } },
      { functionCall: { args: {} } },
      { text: "", thought: true },
      null,
      "text",
    ];
    expect(decodeAnswer(answer(odd))).toMatchObject({ parts: [], finish: "stop" });
  });

  it.each([
    ["a blocked prompt", { promptFeedback: { blockReason: "SAFETY" }, responseId: "R" }, "content_filter"],
    ["empty content", { candidates: [{ content: {}, finishReason: "SAFETY" }] }, "content_filter"],
    [
      "content without parts",
      { candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }] },
      "length",
    ],
    ["no content", { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }, "error"],
  ])("reads %s as an answer without parts", (_, body, finish) => {
    expect(decodeAnswer(body)).toMatchObject({ parts: [], finish });
  });

  it("does not treat an answer without a finish reason as finished", () => {
    expect(decodeAnswer(answer([{ text: "half" }], "FINISH_REASON_UNSPECIFIED")).finish).toBe("error");
  });

  it.each([
    [undefined],
    [null],
    ["text"],
    [[]],
    [{}],
    [{ candidates: [] }],
    [{ error: { code: 500 } }],
    [[{ candidates: [] }]],
  ])("rejects %j, which is not an answer", body => {
    expect(() => decodeAnswer(body)).toThrow(expect.objectContaining({ code: "provider_invalid_answer" }));
  });
});
