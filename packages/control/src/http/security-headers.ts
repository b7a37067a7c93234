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

/** On every answer; one that has its own keeps it. */
export function withSecurityHeaders(answer: Response, isApi: boolean): Response {
  for (const [name, value] of headers) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  // What is told to one caller must not be kept for the next.
  if (isApi && !answer.headers.has("cache-control")) answer.headers.set("cache-control", "no-store");
  return answer;
}
