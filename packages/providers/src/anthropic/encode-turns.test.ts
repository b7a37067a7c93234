import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import type { Turn } from "../canonical/request.ts";
import { encodeTurns } from "./encode-turns.ts";

const text = (value: string) => ({ kind: "text", text: value }) as const;
const user = (value: string): Turn => ({ role: "user", parts: [text(value)] });
const system = (value: string): Turn => ({ role: "system", parts: [text(value)] });
const assistant = (value: string): Turn => ({ role: "assistant", parts: [text(value)] });
const calls = (...ids: string[]): Turn => ({
  role: "assistant",
  parts: ids.map(id => ({ kind: "tool_call", id, name: "f", arguments: '{"a":1}' }) as const),
});
const result = (callId: string): Turn => ({
  role: "tool",
  results: [{ callId, name: "f", content: [text(callId)], isError: false }],
});

/** `user:hello+r1 assistant:…`: roles, texts and results in order. */
function outline(turns: readonly Turn[], systemTurns = false): string {
  const { system: head, messages } = encodeTurns(turns, systemTurns);
  const name = (block: Readonly<Record<string, unknown>>) =>
    String(block.text ?? block.tool_use_id ?? block.id ?? block.type);
  const all = [...(head.length > 0 ? [{ role: "SYSTEM", content: head }] : []), ...messages];
  return all.map(({ role, content }) => `${role}:${content.map(name).join("+")}`).join(" ");
}

describe("encodeTurns", () => {
  it.each<[string, Turn[], string]>([
    ["leading system turns become system", [system("a"), system("b"), user("c")], "SYSTEM:a+b user:c"],
    [
      "adjacent turns of one role are merged",
      [user("a"), user("b"), assistant("c"), assistant("d"), user("e")],
      "user:a+b assistant:c+d user:e",
    ],
    [
      "a system turn in the middle becomes a user turn, in order",
      [user("a"), assistant("b"), system("s"), user("c")],
      "user:a assistant:b user:s+c",
    ],
    [
      "a system turn at the end is kept",
      [user("a"), assistant("b"), system("s")],
      "user:a assistant:b user:s",
    ],
    ["system turns alone still ask something", [system("a"), system("b")], "SYSTEM:a user:b"],
    [
      "results of one assistant turn are one message",
      [user("a"), calls("1", "2"), result("1"), result("2"), user("b")],
      "user:a assistant:1+2 user:1+2+b",
    ],
    [
      "results come first, whatever was in between",
      [user("a"), calls("1", "2"), result("1"), user("b"), system("s"), result("2")],
      "user:a assistant:1+2 user:1+2+b+s",
    ],
    [
      "texts without a visible character are omitted",
      [user("a"), assistant(" \n"), user(""), user("b")],
      "user:a+b",
    ],
    [
      "a prefill does not end in whitespace",
      [user("a"), assistant("The answer is: \n")],
      "user:a assistant:The answer is:",
    ],
    [
      "whitespace elsewhere is kept",
      [user("a "), assistant("b "), user("c ")],
      "user:a  assistant:b  user:c ",
    ],
  ])("GW-019 %s", (_guarantee, turns, expected) => {
    expect(outline(turns)).toBe(expected);
  });

  it.each<[Turn[], string]>([
    [
      [system("a"), user("b"), assistant("c"), system("s"), user("d")],
      "SYSTEM:a user:b assistant:c system:s user:d",
    ],
    [[user("a"), calls("1"), system("s"), result("1")], "user:a assistant:1 user:1 system:s"],
    [[system("a")], "user:a"],
  ])("keeps the system role where the model accepts it (%#)", (turns, expected) => {
    expect(outline(turns, true)).toBe(expected);
  });

  it("sends thinking back only with its signature, redacted thinking unchanged, and a refusal as text", () => {
    const { messages } = encodeTurns(
      [
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: "lost" },
            { kind: "reasoning", text: "kept", signature: "sig" },
            { kind: "redacted_reasoning", data: "xyz" },
            { kind: "refusal", text: "no" },
            { kind: "tool_call", id: "1", name: "f", arguments: "" },
          ],
        },
      ],
      false,
    );
    expect(messages[0]?.content).toEqual([
      { type: "thinking", thinking: "kept", signature: "sig" },
      { type: "redacted_thinking", data: "xyz" },
      { type: "text", text: "no" },
      { type: "tool_use", id: "1", name: "f", input: {} },
    ]);
  });

  it("keeps errors, images and cache breakpoints of tool results, and sends no empty content", () => {
    const cacheControl = { type: "ephemeral", ttl: "1h" };
    const { messages } = encodeTurns(
      [
        {
          role: "tool",
          results: [
            { callId: "1", name: "f", content: [text("")], isError: true, cacheControl },
            {
              callId: "2",
              name: "f",
              content: [{ kind: "image", source: { kind: "url", url: "https://x.test/a.png" } }],
              isError: false,
            },
          ],
        },
      ],
      false,
    );
    expect(messages[0]?.content).toEqual([
      { type: "tool_result", tool_use_id: "1", is_error: true, cache_control: cacheControl },
      {
        type: "tool_result",
        tool_use_id: "2",
        content: [{ type: "image", source: { type: "url", url: "https://x.test/a.png" } }],
      },
    ]);
  });

  it.each(["{", "[1]", '"a"', "null"])("rejects the tool arguments %s without quoting them", wrong => {
    const turn: Turn = {
      role: "assistant",
      parts: [{ kind: "tool_call", id: "1", name: "f", arguments: wrong }],
    };
    expect(() => encodeTurns([turn], false)).toThrow(
      /arguments of a tool call in `messages` are not a JSON object/,
    );
  });

  it("alternates roles and loses no visible text, for any order of turns", () => {
    const words = fc.stringMatching(/^[a-z]{1,5}$/);
    const anyTurn = fc.oneof(
      words.map(user),
      words.map(assistant),
      words.map(system),
      words.map(id => result(id)),
    );
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 12 }), fc.boolean(), (turns, systemTurns) => {
        const encoded = encodeTurns(turns, systemTurns);
        const roles = encoded.messages.map(message => message.role);
        expect(roles.every((role, at) => role !== roles[at - 1])).toBe(true);
        expect(encoded.messages.every(message => message.content.length > 0)).toBe(true);
        const blocks =
          encoded.system.length + encoded.messages.reduce((sum, { content }) => sum + content.length, 0);
        expect(blocks).toBe(turns.length);
      }),
    );
  });
});
