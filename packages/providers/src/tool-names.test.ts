import { describe, expect, it } from "bun:test";
import type { CanonicalRequest } from "./canonical/request.ts";
import { providers } from "./registry.ts";
import { ToolNames } from "./tool-names.ts";

const long = `mcp__filesystem__${"read_".repeat(20)}file`;

function requestWith(name: string): CanonicalRequest {
  return {
    model: "m",
    stream: false,
    turns: [
      { role: "assistant", parts: [{ kind: "tool_call", id: "1", name, arguments: "{}" }] },
      { role: "tool", results: [{ callId: "1", name, content: [], isError: false }] },
    ],
    tools: [{ name }, { name: "short" }],
    toolChoice: { mode: "tool", name },
  };
}

describe("a tool name that the provider would reject", () => {
  for (const [provider, name, isReplaced] of [
    ["openai", long, true],
    ["xai", long, true],
    ["google", long, true],
    ["anthropic", long, false],
    ["anthropic", long.repeat(2), true],
    ["openai", "files.read", true],
    ["google", "files.read", false],
    ["google", "1password", true],
    ["openai", "1password", false],
  ] as const) {
    it(`GW-019 ${provider}: ${name.slice(0, 20)}… (${name.length}) is ${isReplaced ? "replaced" : "kept"}`, () => {
      const { toolName } = providers[provider].conversation;
      const sent = new ToolNames(toolName).inRequest(requestWith(name)).tools?.[0]?.name ?? "";
      expect(sent === name).toBe(!isReplaced);
      expect(sent).toMatch(toolName);
    });
  }

  it("GW-019 is replaced wherever the request has it, and restored in answers and streams", () => {
    const names = new ToolNames(providers.openai.conversation.toolName);
    const request = names.inRequest(requestWith(long));
    const sent = request.tools?.[0]?.name ?? "";
    expect(sent).toMatch(/^mcp__filesystem__read_.{33}_[0-9a-f]{8}$/);
    expect(request).toEqual(requestWith(sent));
    const call = { id: "1", arguments: "{}" };
    const answer = {
      id: "a",
      model: "m",
      parts: [
        { kind: "tool_call", name: sent, ...call },
        { kind: "tool_call", name: "short", ...call },
      ],
      finish: "tool_calls",
    } as const;
    expect(names.inAnswer(answer).parts).toMatchObject([{ name: long }, { name: "short" }]);
    expect(names.inEvents([{ kind: "tool_start", index: 0, id: "1", name: sent }])).toMatchObject([
      { name: long },
    ]);
  });

  it("keeps names apart that differ only at their end", () => {
    const names = new ToolNames(providers.openai.conversation.toolName);
    const sent = names.inRequest({
      ...requestWith("f"),
      tools: [{ name: `${long}a` }, { name: `${long}b` }],
    });
    expect(new Set(sent.tools?.map(({ name }) => name)).size).toBe(2);
  });
});
