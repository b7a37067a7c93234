export const providerIds = ["openai", "anthropic", "google", "xai"] as const;

export type ProviderId = (typeof providerIds)[number];

export function isProviderId(name: string): name is ProviderId {
  return (providerIds as readonly string[]).includes(name);
}
