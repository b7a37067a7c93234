import { describe, expect, it } from "bun:test";
import { mapFinishReason } from "./map-finish-reason.ts";

describe("mapFinishReason", () => {
  it.each([
    ["STOP", false, "stop"],
    ["STOP", true, "tool_calls"],
    ["MAX_TOKENS", false, "length"],
    ["MAX_TOKENS", true, "length"],
    ["CONTINUATION", false, "length"],
    ["SAFETY", false, "content_filter"],
    ["RECITATION", false, "content_filter"],
    ["BLOCKLIST", false, "content_filter"],
    ["PROHIBITED_CONTENT", false, "content_filter"],
    ["SPII", false, "content_filter"],
    ["IMAGE_SAFETY", false, "content_filter"],
    ["IMAGE_PROHIBITED_CONTENT", false, "content_filter"],
    ["IMAGE_RECITATION", false, "content_filter"],
    ["IMAGE_OTHER", false, "content_filter"],
    ["MALFORMED_FUNCTION_CALL", false, "error"],
    ["UNEXPECTED_TOOL_CALL", true, "error"],
    ["TOO_MANY_TOOL_CALLS", true, "error"],
    ["LANGUAGE", false, "error"],
    ["NO_IMAGE", false, "error"],
    ["OTHER", false, "error"],
    ["SOMETHING_NEW", false, "error"],
  ] as const)("GW-019 reads %s (a call seen: %j) as %s", (reason, sawCall, finish) => {
    expect(mapFinishReason(reason, sawCall)).toBe(finish);
  });
});
