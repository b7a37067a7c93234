import { expect, it } from "bun:test";
import { mapProvider } from "./ingestion-provider.ts";

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
  ["Groq", "Groq"],
] as const) {
  it(`maps ${name} to ${provider}`, () => expect(mapProvider(name)).toBe(provider));
}
