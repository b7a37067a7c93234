import { describe, expect, it } from "bun:test";
import type { CanonicalRequest } from "../canonical/request.ts";
import { xai } from "./provider.ts";

function bodyOf(request: Partial<CanonicalRequest>): unknown {
  const hi: CanonicalRequest = {
    model: "grok-4",
    stream: false,
    turns: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
  };
  return JSON.parse(String(xai.conversation.encodeRequest({ ...hi, ...request }).body));
}

describe("GW-019 a conversation encoded for xAI", () => {
  it("keeps reasoning, and uses xAI's names for limit and user", () => {
    const body = bodyOf({
      model: "grok-4",
      maxOutputTokens: 5,
      temperature: 0.1,
      stop: ["x"],
      presencePenalty: 1,
      user: "u",
      serviceTier: "auto",
      reasoning: { effort: "high" },
      turns: [
        { role: "system", parts: [{ kind: "text", text: "s" }] },
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: "hm" },
            { kind: "text", text: "t" },
          ],
        },
      ],
    });
    expect(body).toEqual({
      model: "grok-4",
      messages: [
        { role: "system", content: "s" },
        { role: "assistant", content: "t", reasoning_content: "hm" },
      ],
      max_tokens: 5,
      temperature: 0.1,
      user: "u",
    });
  });

  const efforts: [string, string, string | undefined][] = [
    ["grok-3-mini", "minimal", "low"],
    ["grok-3-mini", "max", "high"],
    ["grok-4", "high", undefined],
    ["grok-4.3", "none", "none"],
    ["grok-4.3", "max", "high"],
    ["grok-4.5", "none", "low"],
    ["grok-4.5-latest", "xhigh", "high"],
    ["grok-4.7", "none", "low"],
    ["grok-4.7", "max", "xhigh"],
    ["grok-4.20-reasoning", "high", undefined],
    ["grok-3", "low", undefined],
  ];
  for (const [model, effort, expected] of efforts)
    it(`${model} asked for ${effort} gets ${expected ?? "nothing"}`, () => {
      const body = bodyOf({ model, reasoning: { effort: effort as "low" } });
      expect((body as Record<string, unknown>).reasoning_effort).toBe(expected);
    });

  it("a model that does not reason accepts stop and penalties", () => {
    const body = bodyOf({ model: "grok-3", stop: ["x"], frequencyPenalty: 1 });
    expect(body).toMatchObject({ stop: ["x"], frequency_penalty: 1 });
  });
});
