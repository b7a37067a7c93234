const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const headers: readonly (readonly [string, string])[] = [
  ["content-security-policy", policy],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** Set on every response, without overriding headers it already has. */
export function withSecurityHeaders(answer: Response, isApi: boolean): Response {
  for (const [name, value] of headers) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  // One client's response must not be cached for the next.
  if (isApi && !answer.headers.has("cache-control")) answer.headers.set("cache-control", "no-store");
  return answer;
}
