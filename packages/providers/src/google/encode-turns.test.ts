import { describe, expect, it } from "bun:test";
import type { AssistantPart, Turn } from "../canonical/request.ts";
import { encodeTurns } from "./encode-turns.ts";
import { modelFamily } from "./model-traits.ts";

const encode = (turns: Turn[], model = "gemini-2.5-flash") => encodeTurns(turns, modelFamily(model));
const system = (text: string): Turn => ({ role: "system", parts: [{ kind: "text", text }] });
const user = (text: string): Turn => ({ role: "user", parts: [{ kind: "text", text }] });
const assistant = (...parts: AssistantPart[]): Turn => ({ role: "assistant", parts });
const call = (id: string, signature?: string): AssistantPart => ({
  kind: "tool_call",
  id,
  name: "lookup",
  arguments: '{"q":1}',
  ...(signature !== undefined && { signature }),
});

describe("encodeTurns", () => {
  it("GW-019 sends leading system turns as the system instruction, and later ones as user text in place", () => {
    expect(encode([system("a"), system("b"), user("hi"), system("c"), user("go")])).toEqual({
      systemInstruction: { parts: [{ text: "a" }, { text: "b" }] },
      contents: [{ role: "user", parts: [{ text: "hi" }, { text: "c" }, { text: "go" }] }],
    });
  });

  it("sends the system text as the question if there is nothing else, because google rejects empty contents", () => {
    expect(encode([system("say hi")])).toEqual({ contents: [{ role: "user", parts: [{ text: "say hi" }] }] });
  });

  it("GW-019 calls the assistant `model`, merges adjacent turns of one role, and omits empty ones", () => {
    const turns = [
      user("one"),
      assistant({ kind: "text", text: "" }),
      user("two"),
      assistant({ kind: "text", text: "yes" }),
      assistant({ kind: "refusal", text: "but no" }),
    ];
    expect(encode(turns)).toEqual({
      contents: [
        { role: "user", parts: [{ text: "one" }, { text: "two" }] },
        { role: "model", parts: [{ text: "yes" }, { text: "but no" }] },
      ],
    });
  });

  it("GW-019 returns a generated image to the model, with its signature or gemini 3's placeholder", () => {
    const image = { kind: "generated_image", mediaType: "image/png", data: "AA==" } as const;
    const turns = [user("draw"), assistant(image, { ...image, signature: "SIG" }), user("bluer")];
    const inlineData = { mimeType: "image/png", data: "AA==" };
    const signed = { inlineData, thoughtSignature: "SIG" };
    expect(encode(turns).contents[1]).toEqual({ role: "model", parts: [{ inlineData }, signed] });
    const lost = { inlineData, thoughtSignature: "skip_thought_signature_validator" };
    expect(encode(turns, "gemini-3-pro-image-preview").contents[1]).toEqual({
      role: "model",
      parts: [lost, signed],
    });
  });

  it("GW-019 encodes calls and results with name and id, all results in one user turn", () => {
    const turns: Turn[] = [
      user("go"),
      assistant({ kind: "text", text: "looking" }, call("c1", "SIG"), call("c2")),
      {
        role: "tool",
        results: [
          { callId: "c1", name: "lookup", content: [{ kind: "text", text: "one" }], isError: false },
          { callId: "c2", name: "lookup", content: [{ kind: "text", text: "two" }], isError: true },
        ],
      },
    ];
    expect(encode(turns).contents).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "looking" },
          { functionCall: { name: "lookup", id: "c1", args: { q: 1 } }, thoughtSignature: "SIG" },
          { functionCall: { name: "lookup", id: "c2", args: { q: 1 } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "lookup", id: "c1", response: { result: "one" } } },
          { functionResponse: { name: "lookup", id: "c2", response: { error: "two" } } },
        ],
      },
    ]);
  });

  it("does not send thoughts back: another provider's signature would be rejected", () => {
    const turns = [
      user("go"),
      assistant(
        { kind: "reasoning", text: "hmm", signature: "theirs" },
        { kind: "redacted_reasoning", data: "x" },
        { kind: "text", text: "ok" },
      ),
    ];
    expect(encode(turns).contents[1]).toEqual({ role: "model", parts: [{ text: "ok" }] });
  });

  it("GW-019 returns text with its signature, and on gemini 3's image models with the placeholder if it was lost", () => {
    const turns = [
      user("draw"),
      assistant({ kind: "text", text: "a", signature: "SIG" }, { kind: "text", text: "b" }),
    ];
    const parts = (model: string) => encode(turns, model).contents[1]?.parts;
    const signed = { text: "a", thoughtSignature: "SIG" };
    expect(parts("gemini-3-pro-image-preview")).toEqual([signed, { text: "b", thoughtSignature: lost }]);
    expect(parts("gemini-3-pro-preview")).toEqual([signed, { text: "b" }]);
  });

  const lost = "skip_thought_signature_validator";
  const kept = (model: string, ...calls: AssistantPart[]) =>
    encode([user("go"), assistant(...calls)], model).contents[1]?.parts.map(part =>
      "functionCall" in part ? part.thoughtSignature : null,
    );
  it.each([
    ["gemini-3-pro-preview", [call("a")], [lost]],
    ["gemini-3.8-flash", [call("a"), call("b")], [lost, undefined]],
    ["gemini-3.8-flash", [call("a", "SIG"), call("b")], ["SIG", undefined]],
    ["gemini-3.8-flash", [{ kind: "text", text: "x" }, call("a")], [null, lost]],
    ["gemini-2.5-flash", [call("a")], [undefined]],
  ] as [string, AssistantPart[], unknown[]][])(
    "on %s the first call of a turn is signed, %#",
    (model, calls, signatures) => {
      expect(kept(model, ...calls)).toEqual(signatures as ReturnType<typeof kept>);
    },
  );

  it.each(["", "{", "[1]", '"text"'])("rejects the call arguments %j and names the call", args => {
    const broken: AssistantPart = { kind: "tool_call", id: "c7", name: "lookup", arguments: args };
    expect(() => encode([user("go"), assistant(broken)])).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringContaining('"c7"') }),
    );
  });
});
