import { describe, expect, it } from "bun:test";
import { surfaces } from "./surfaces.ts";

describe("publishSchema", () => {
  for (const tool of surfaces.hosted) {
    it(`${tool.name}: both schemas are objects without references and without lists of types`, () => {
      for (const { json } of [tool.inputSchema, tool.outputSchema]) {
        expect(json).toMatchObject({ type: "object", additionalProperties: false });
        expect(JSON.stringify(json)).not.toMatch(/"\$(ref|defs)"|"type":\[/);
      }
    });
  }
});
