import { describe, expect, it } from "bun:test";
import type { ToolChoice, ToolDefinition } from "../canonical/request.ts";
import { encodeTools } from "./encode-tools.ts";

const schema = {
  type: "object",
  properties: { city: { type: ["string", "null"] } },
  additionalProperties: false,
};
const tool: ToolDefinition = { name: "weather", description: "The weather", parameters: schema };

describe("encodeTools", () => {
  it("GW-019 declares a function with its JSON schema unchanged", () => {
    expect(encodeTools([tool], undefined)).toEqual({
      tools: [
        {
          functionDeclarations: [
            { name: "weather", description: "The weather", parametersJsonSchema: schema },
          ],
        },
      ],
    });
  });

  it.each([
    undefined,
    {},
    { type: "object" },
    { type: "object", properties: {}, required: [], additionalProperties: false, $schema: "x" },
  ])("omits the schema %j, which has no parameters", parameters => {
    const [declared] =
      encodeTools([{ name: "now", ...(parameters && { parameters }) }], undefined).tools ?? [];
    expect(declared?.functionDeclarations).toEqual([{ name: "now" }]);
  });

  it.each([
    { type: "object", additionalProperties: true },
    { type: "object", properties: {}, additionalProperties: { type: "string" } },
    { $ref: "#/$defs/input", $defs: { input: schema } },
    { anyOf: [schema] },
  ])("keeps the schema %j, which has parameters", parameters => {
    const [declared] = encodeTools([{ name: "now", parameters }], undefined).tools ?? [];
    expect(declared?.functionDeclarations).toEqual([{ name: "now", parametersJsonSchema: parameters }]);
  });

  const choices: [ToolChoice | undefined, boolean, unknown][] = [
    [undefined, false, undefined],
    [undefined, true, { mode: "VALIDATED" }],
    [{ mode: "auto" }, false, { mode: "AUTO" }],
    [{ mode: "auto" }, true, { mode: "VALIDATED" }],
    [{ mode: "none" }, true, { mode: "NONE" }],
    [{ mode: "required" }, true, { mode: "ANY" }],
    [{ mode: "tool", name: "weather" }, false, { mode: "ANY", allowedFunctionNames: ["weather"] }],
  ];
  it.each(choices)("GW-019 encodes tool choice %j (strict %j)", (choice, strict, config) => {
    const { toolConfig } = encodeTools([{ ...tool, strict }, { name: "other" }], choice);
    expect<unknown>(toolConfig?.functionCallingConfig).toEqual(config);
  });

  it.each([[undefined], [[]]])("sends no tool fields without tools (%j)", tools => {
    expect(encodeTools(tools, { mode: "auto" })).toEqual({});
  });
});
