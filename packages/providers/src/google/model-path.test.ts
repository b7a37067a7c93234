import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import fc from "fast-check";
import { modelPath } from "./model-path.ts";

describe("modelPath", () => {
  it.each([
    ["gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"],
    ["models/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"],
    ["../files", "/v1beta/models/..%2Ffiles:generateContent"],
    ["x:countTokens?key=1#", "/v1beta/models/x%3AcountTokens%3Fkey%3D1%23:generateContent"],
    ["%2e%2e%2f", "/v1beta/models/%252e%252e%252f:generateContent"],
  ])("keeps %j within its segment", (model, path) => {
    expect(modelPath(model, "generateContent")).toBe(path);
  });

  it.each(["", "models/", "\ud800"])("rejects %j, which is not a name", model => {
    expect(() => modelPath(model, "generateContent")).toThrow(TollgateError);
  });

  it("no name can reach another path, query or method", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), name => {
        fc.pre(name !== "models/");
        const url = new URL(modelPath(name, "generateContent"), "https://provider.example");
        expect(url.origin).toBe("https://provider.example");
        expect(url.search + url.hash).toBe("");
        expect(url.pathname).toMatch(/^\/v1beta\/models\/[^/:]+:generateContent$/);
      }),
    );
  });
});
