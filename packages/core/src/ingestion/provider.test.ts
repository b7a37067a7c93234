import { expect, it } from "bun:test";
import { mapProvider } from "./provider.ts";

for (const [name, provider] of [
  ["openai", "openai"],
  ["OpenAI", "openai"],
  ["openai.responses", "openai"],
  ["azure.ai.openai", "openai"],
  ["anthropic.messages", "anthropic"],
  ["gcp.gemini", "google"],
  ["gcp.vertex_ai", "google"],
  ["google.generative-ai", "google"],
  ["x_ai", "xai"],
  ["xai.chat", "xai"],
  ["aws.bedrock", "aws.bedrock"],
  ["Groq", "groq"],
  ["a".repeat(64), "a".repeat(64)],
  ["a".repeat(65), null],
  ["my provider", null],
  ["fö", null],
  ["", null],
] as const) {
  it(`maps ${JSON.stringify(name)} to ${provider}`, () => expect(mapProvider(name)).toBe(provider));
}
