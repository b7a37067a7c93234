import { isProviderId, type ProviderId } from "./provider-id.ts";

const ours: ReadonlyMap<string, ProviderId> = new Map([
  ["gcp", "google"],
  ["gemini", "google"],
  ["google_genai", "google"],
  ["vertex_ai", "google"],
  ["vertexai", "google"],
  ["x_ai", "xai"],
  ["azure.ai.openai", "openai"],
  ["az.ai.openai", "openai"],
  ["azure_openai", "openai"],
  ["azure-openai", "openai"],
]);

/**
 * A provider by the names that emitters have for it: `gcp.vertex_ai` and `x_ai` (OpenTelemetry), `OpenAI`
 * (OpenLLMetry), `openai.responses` (Vercel). One that is none of ours keeps its name, and has no price.
 */
export function mapProvider(name: string): string {
  const plain = name.trim().toLowerCase();
  const known = ours.get(plain);
  if (known) return known;
  const [family = ""] = plain.split(".");
  if (isProviderId(family)) return family;
  return ours.get(family) ?? name;
}
