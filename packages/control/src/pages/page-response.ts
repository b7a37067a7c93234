/** Own resources only, nothing inline, no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

export function pageResponse(html: string, status = 200): Response {
  return new Response(html, {
    status,
    headers: { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
}

export function assetResponse(file: Blob, type: string): Response {
  return new Response(file, { headers: { ...headers, "content-type": type, "cache-control": "no-cache" } });
}
