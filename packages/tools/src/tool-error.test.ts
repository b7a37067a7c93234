import { describe, expect, it } from "bun:test";
import { fail } from "@tollgate/core/errors";
import { ClientError } from "@tollgate/sdk/client-error";
import { rateError, toolError, Unreachable } from "./tool-error.ts";

const textOf = (result: ReturnType<typeof toolError>) => result.content[0]?.text ?? "";
const factsOf = (result: ReturnType<typeof toolError>) => JSON.parse(textOf(result).split("\n").at(-1) ?? "");

describe("toolError", () => {
  for (const [status, words] of [
    [400, "Nothing was changed"],
    [401, "invalid or expired"],
    [402, "tier"],
    [403, "insufficient permissions"],
    [404, "not found"],
    [429, "Retry after 60 s"],
    [500, "exponential backoff"],
    [503, "exponential backoff"],
  ] as const) {
    it(`says what to do next after a ${status}`, () => {
      const result = toolError(new ClientError(status, { error: "a sentence" }));
      expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
      expect(textOf(result)).toStartWith(`Error ${status}: `);
      expect(textOf(result)).toContain(words);
      expect(factsOf(result)).toMatchObject({ status });
    });
  }

  it("includes the tiers of a 402, and no other field of a body", () => {
    const body = { error: "no", required_tier: "lite", current_tier: "starter", upgrade_url: "u", secret: 1 };
    expect(factsOf(toolError(new ClientError(402, body)))).toEqual({
      status: 402,
      required_tier: "lite",
      current_tier: "starter",
      upgrade_url: "u",
    });
  });

  it("includes retryAfter in whole seconds", () => {
    expect(factsOf(rateError("svc_x", 12))).toEqual({ status: 429, retryAfter: 12 });
    expect(factsOf(toolError(new ClientError(429, { error: "slow", retry_after: 1.2 })))).toEqual({
      status: 429,
      retryAfter: 2,
    });
  });

  it("reveals nothing about an unexpected fault", () => {
    expect(textOf(toolError(new Error("secret at /home/x")))).not.toContain("secret");
    expect(factsOf(toolError("secret"))).toEqual({ status: 500 });
  });

  it("puts the server's message on one line of bounded length", () => {
    const text = textOf(toolError(fail("not_found", `a\n\u202e${"b".repeat(5000)}`)));
    expect(text.split("\n")).toHaveLength(2);
    expect(text.length).toBeLessThan(800);
    expect(text).not.toContain("\u202e");
  });

  it("warns that a write without a response may have taken effect", () => {
    expect(textOf(toolError(new Unreachable("http://x/api", true)))).toContain("may or may not");
    expect(textOf(toolError(new Unreachable("http://x/api", false)))).not.toContain("may or may not");
  });
});
