import { describe, expect, it } from "bun:test";
import { google } from "./provider.ts";

describe("google", () => {
  it("sends the caller's key in google's own header, never in the URL", () => {
    expect(google.credential("key")).toEqual({ "x-goog-api-key": "key" });
    expect(google.baseUrl).toBe("https://generativelanguage.googleapis.com");
  });

  it("has no client dialect, so no client header reaches it", () => {
    expect(google.native).toEqual({});
    expect(google.forwardedHeaders).toEqual([]);
  });

  it("lists the headers it returns in lower case", () => {
    for (const name of google.returnedHeaders) expect(name).toBe(name.toLowerCase());
  });
});
