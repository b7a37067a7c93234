import { describe, expect, it } from "bun:test";
import { providers } from "@tollgate/providers/registry";
import { chatEndpoint } from "../routes.ts";
import { isEligible } from "./is-eligible.ts";

function asked(provider: keyof typeof providers, model: string, fields: object = {}): boolean {
  const body = { model, messages: [{ role: "user", content: "hi" }], ...fields };
  return isEligible({
    endpoint: chatEndpoint,
    steering: null,
    bytes: new Uint8Array(Buffer.from(JSON.stringify(body))),
    body,
    summary: chatEndpoint.dialect.summarize(body),
    provider: providers[provider],
    model,
  });
}

describe("isEligible", () => {
  it("accepts text, and rejects calls that ask for images", () => {
    expect(asked("google", "gemini-2.5-flash")).toBe(true);
    expect(asked("openai", "gpt-4o")).toBe(true);
    expect(asked("google", "gemini-2.5-flash", { modalities: ["text", "image"] })).toBe(false);
  });

  it("rejects image models, which draw unasked", () => {
    expect(asked("google", "gemini-2.5-flash-image")).toBe(false);
    expect(asked("google", "gemini-3-pro-image-preview")).toBe(false);
  });
});
