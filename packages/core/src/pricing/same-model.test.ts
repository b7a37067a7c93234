import { expect, it } from "bun:test";
import type { ProviderId } from "../provider-id.ts";
import { isSameModel } from "./same-model.ts";

const names: [ProviderId, string, string, boolean][] = [
  ["openai", "gpt-7", "gpt-7", true],
  ["openai", "gpt-7", "gpt-7-2027-08-06", true],
  ["openai", "gpt-7-2027-08-06", "gpt-7", true],
  ["openai", "gpt-7-2027-08-06", "gpt-7-2027-11-01", true],
  ["openai", "gpt-7", "gpt-7-0613", true],
  ["openai", "GPT-7", "gpt-7-latest", true],
  ["anthropic", "claude-opus-9", "claude-opus-9-20270806", true],
  ["anthropic", "claude-opus-9", "claude-opus-9@20270806", true],
  ["anthropic", "claude-opus-9.1", "claude-opus-9-1-20270806", true],
  ["google", "gemini-9-flash", "models/gemini-9-flash-001", true],
  ["google", "gemini-9-flash-preview", "gemini-9-flash-preview-05-20", true],
  ["google", "gemini-9-flash-preview", "gemini-9-flash-preview-09-2027", true],
  ["google", "gemini-flash-latest", "gemini-3.8-flash-001", true], // an alias
  ["xai", "grok-9-latest", "grok-9-0709", true],
  ["openai", "gpt-7", "gpt-7-mini", false],
  ["openai", "gpt-7", "gpt-7.1", false],
  ["openai", "gpt-7", "gpt-7-mini-2027-08-06", false],
  ["anthropic", "claude-opus-9", "claude-opus-9-1", false],
  ["anthropic", "claude-opus-9-20270806", "claude-opus-9-1-20270806", false],
  ["google", "gemini-9-flash", "gemini-9-flash-lite-001", false],
  ["google", "gemini-9-flash", "gemini-9-flash-preview", false],
  ["xai", "grok-9", "grok-9-fast", false],
];

for (const [provider, a, b, expected] of names)
  it(`${a} and ${b} are ${expected ? "one model" : "two models"}`, () => {
    expect(isSameModel(provider, a, b)).toBe(expected);
    expect(isSameModel(provider, b, a)).toBe(expected);
  });
