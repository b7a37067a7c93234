/** Answer headers that openai and xai share: what a client needs to slow down, to retry, and to ask for help. */
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
