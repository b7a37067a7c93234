import { isProviderId, type ProviderId } from "../provider-id.ts";

/** In lower case. */
export const providerPattern = /^[a-z0-9._-]{1,64}$/;

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
 * Normalizes the names that emitters use: `gcp.vertex_ai` and `x_ai` (OpenTelemetry), `OpenAI` (OpenLLMetry),
 * `openai.responses` (Vercel). An unsupported provider keeps its name in lower case, and has no price. null: not a
 * provider's name. Each new name becomes a row wherever providers are listed.
 */
export function mapProvider(name: string): string | null {
  const plain = name.trim().toLowerCase();
  const known = ours.get(plain);
  if (known) return known;
  const [family = ""] = plain.split(".");
  if (isProviderId(family)) return family;
  return ours.get(family) ?? (providerPattern.test(plain) ? plain : null);
}
