/** Response headers that OpenAI and xAI share: for rate limiting, retries and support requests. */
export const openaiStyleHeaders: readonly string[] = [
  "x-request-id",
  "x-ratelimit-limit-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
];
