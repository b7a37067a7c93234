import { describe, expect, it } from "bun:test";
import { anthropic } from "./provider.ts";

describe("anthropic", () => {
  it("sends the key in its own header, and no client header can override it", () => {
    expect(anthropic.credential("k")["x-api-key"]).toBe("k");
    expect(anthropic.forwardedHeaders).not.toContain("x-api-key");
    expect(anthropic.forwardedHeaders).not.toContain("authorization");
  });

  it("adds a version for clients that send none, and keeps theirs otherwise", () => {
    expect(anthropic.credential("k")["anthropic-version"]).toBe("2023-06-01");
    expect(anthropic.forwardedHeaders).toContain("anthropic-version");
  });

  it("returns every limit that Anthropic reports", () => {
    const limits = [
      "anthropic-ratelimit-requests-limit",
      "anthropic-ratelimit-output-tokens-reset",
      "anthropic-priority-input-tokens-remaining",
      "anthropic-priority-output-tokens-reset",
      "anthropic-fast-input-tokens-limit",
      "anthropic-fast-output-tokens-remaining",
    ];
    expect(anthropic.returnedHeaders).toEqual(expect.arrayContaining(limits));
  });

  it.each<[number, unknown, object]>([
    [
      401,
      {
        type: "error",
        error: { type: "authentication_error", message: "invalid x-api-key" },
        request_id: "req_1",
      },
      { status: 401, type: "authentication_error", message: "invalid x-api-key" },
    ],
    [
      529,
      undefined,
      { status: 529, type: "overloaded_error", message: "anthropic answered with status 529" },
    ],
    [
      502,
      { error: "bad gateway" },
      { status: 502, type: "api_error", message: "anthropic answered with status 502" },
    ],
    [
      400,
      { error: { message: 7 } },
      { status: 400, type: "invalid_request_error", message: "anthropic answered with status 400" },
    ],
  ])("decodes the error %d %j", (status, body, expected) => {
    expect(anthropic.decodeError(status, body)).toEqual(expected as ReturnType<typeof anthropic.decodeError>);
  });
});
