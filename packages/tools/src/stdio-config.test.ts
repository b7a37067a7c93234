import { describe, expect, it } from "bun:test";
import { readStdioConfig } from "./stdio-config.ts";

const key = "sk_live_0123456789";

describe("readStdioConfig", () => {
  for (const [given, apiUrl] of [
    [undefined, "http://127.0.0.1:3000/api"],
    ["", "http://127.0.0.1:3000/api"],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000/api"],
    ["http://127.0.0.1:3000/api/", "http://127.0.0.1:3000/api"],
    ["https://costs.example.org/tollgate/api/v1", "https://costs.example.org/tollgate/api/v1"],
  ] as const) {
    it(`uses ${apiUrl} for SVC_API_URL ${JSON.stringify(given)}`, () => {
      expect(readStdioConfig({ SVC_API_KEY: key, SVC_API_URL: given })).toEqual({ apiKey: key, apiUrl });
    });
  }

  for (const [what, env, sentence] of [
    ["no key", {}, "SVC_API_KEY is not set"],
    ["an empty key", { SVC_API_KEY: " " }, "SVC_API_KEY is not set"],
    ["a provider's key", { SVC_API_KEY: "sk-proj-secret" }, "SVC_API_KEY has the wrong form"],
    ["a prefix alone", { SVC_API_KEY: "sk_live_" }, "SVC_API_KEY has the wrong form"],
    ["two lines", { SVC_API_KEY: `${key}\nsecret` }, "SVC_API_KEY has the wrong form"],
    ["no address", { SVC_API_KEY: key, SVC_API_URL: "localhost" }, "SVC_API_URL has the wrong form"],
    ["a file", { SVC_API_KEY: key, SVC_API_URL: "file:///api" }, "SVC_API_URL has the wrong form"],
    ["a user", { SVC_API_KEY: key, SVC_API_URL: "http://a:secret@b/api" }, "SVC_API_URL must be a plain"],
  ] as const) {
    it(`refuses ${what} with a message that does not quote it`, () => {
      const refused = readStdioConfig(env);
      expect(refused).toStartWith(sentence);
      expect(refused).not.toContain("secret");
    });
  }
});
