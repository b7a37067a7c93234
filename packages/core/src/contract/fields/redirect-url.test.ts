import { describe, expect, it } from "bun:test";
import { redirectOrigin, redirectUrl } from "./redirect-url.ts";

describe("redirectUrl", () => {
  for (const text of [
    "https://app.example.org",
    "https://app.example.org:8443/done?from=tollgate",
    "http://localhost:5173/done",
    "http://127.0.0.1/",
    "http://[::1]:3000/",
  ]) {
    it(`takes ${text}`, () => expect(redirectUrl.parse(text)).toBe(text));
  }

  for (const text of [
    "http://app.example.org/",
    "http://127.0.0.1.example.org/",
    "http://localhost.example.org/",
    "javascript:alert(1)",
    "data:text/html,x",
    "//app.example.org/",
    "/done",
    "https://user@app.example.org/",
    "https://:secret@app.example.org/",
    "https://app.example.org/#done",
    "https://app.example.org/#",
    " https://app.example.org/",
    "https://app.example.org/ü",
    'https://app.example.org/"><script>',
    "https://app.example.org\\@evil.example/",
    "https://app.example.org/\nset-cookie:x",
    `https://app.example.org/${"x".repeat(2048)}`,
    "",
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () =>
      expect(redirectUrl.safeParse(text).success).toBe(false));
  }
});

describe("redirectOrigin", () => {
  it("is the origin as browsers write it", () => {
    expect(redirectOrigin.parse("HTTPS://App.Example.ORG:443/")).toBe("https://app.example.org");
    expect(redirectOrigin.parse("http://localhost:5173")).toBe("http://localhost:5173");
  });

  for (const text of [
    "https://app.example.org/path",
    "https://a.example/?x",
    "http://a.example",
    "*",
    "a.example",
  ]) {
    it(`refuses ${text}`, () => {
      expect(redirectOrigin.safeParse(text).success).toBe(false);
    });
  }
});
