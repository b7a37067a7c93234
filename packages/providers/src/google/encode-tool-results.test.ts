import { describe, expect, it } from "bun:test";
import type { ToolResult } from "../canonical/request.ts";
import { encodeToolResults } from "./encode-tool-results.ts";

function result(text: string, isError = false): ToolResult {
  return { callId: "call_1", name: "lookup", content: [{ kind: "text", text }], isError };
}

describe("encodeToolResults", () => {
  it.each([
    ["an object as itself", result('{"temp": 21, "unit": "C"}'), { temp: 21, unit: "C" }],
    ["text wrapped", result("sunny"), { result: "sunny" }],
    ["a list wrapped as text", result("[1,2]"), { result: "[1,2]" }],
    ["a number wrapped as text", result("42"), { result: "42" }],
    ["what only looks like an object wrapped", result("{oops"), { result: "{oops" }],
    ["nothing as empty text", result(""), { result: "" }],
    ["an error as one", result('{"reason":"down"}', true), { error: '{"reason":"down"}' }],
    [
      "an object as text if a number in it would be rounded",
      result('{"ids":[1234567890123456789]}'),
      { result: '{"ids":[1234567890123456789]}' },
    ],
  ])("GW-019 sends %s", (_, toolResult, response) => {
    expect(encodeToolResults([toolResult])).toEqual([
      { functionResponse: { name: "lookup", id: "call_1", response } },
    ]);
  });

  it("joins several texts of one result with line breaks", () => {
    const content = [
      { kind: "text", text: "a" },
      { kind: "text", text: "b" },
    ] as const;
    expect(encodeToolResults([{ ...result(""), content }])).toEqual([
      { functionResponse: { name: "lookup", id: "call_1", response: { result: "a\nb" } } },
    ]);
  });

  it("puts the images of all results after all responses", () => {
    const image = {
      kind: "image",
      source: { kind: "base64", mediaType: "image/png", data: "iVBO" },
    } as const;
    const parts = encodeToolResults([{ ...result(""), content: [image] }, result("done")]);
    expect(parts.map(part => Object.keys(part)[0])).toEqual([
      "functionResponse",
      "functionResponse",
      "inlineData",
    ]);
  });

  it("names the tool_call_id of a result without a call", () => {
    expect(() =>
      encodeToolResults([{ ...result("secret answer"), callId: "call_9", name: undefined }]),
    ).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/^(?!.*secret).*tool_call_id "call_9"/),
      }),
    );
  });
});
