import { describe, expect, it } from "bun:test";
import { xai } from "../xai/provider.ts";
import { openai } from "./provider.ts";

describe("openai and xai", () => {
  it("send the caller's key as a bearer token", () => {
    for (const provider of [openai, xai])
      expect(provider.credential("k")).toEqual({ authorization: "Bearer k" });
  });

  it("GW-003 GW-021 GW-023 use their own formats", () => {
    const paths = (native: typeof openai.native) =>
      Object.entries(native).map(([dialect, format]) => [dialect, format.path]);
    expect(paths(openai.native)).toEqual([
      ["openai-chat", "/v1/chat/completions"],
      ["openai-embeddings", "/v1/embeddings"],
      ["openai-responses", "/v1/responses"],
    ]);
    expect(paths(xai.native)).toEqual([
      ["openai-chat", "/v1/chat/completions"],
      ["openai-responses", "/v1/responses"],
    ]);
    expect(xai.embeddings).toBeNull();
  });

  it("return every limit that OpenAI reports", () => {
    const limits = [
      "x-ratelimit-remaining-requests",
      "x-ratelimit-reset-tokens",
      "x-ratelimit-remaining-project-tokens",
    ];
    expect(openai.returnedHeaders).toEqual(expect.arrayContaining(limits));
  });

  it("forward no client header with a credential", () => {
    for (const name of [...openai.forwardedHeaders, ...xai.forwardedHeaders])
      expect(["authorization", "x-api-key", "x-provider-key", "cookie"]).not.toContain(name);
  });
});
