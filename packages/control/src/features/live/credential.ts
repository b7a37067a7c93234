const kept = ["authorization", "x-api-key", "cookie", "origin", "upgrade", "x-organization-id"] as const;

/** What a connection was opened with: as much of its request as a recheck needs. */
export interface Credential {
  /** Equal for connections opened with the same credential. */
  readonly name: string;
  request(): Request;
}

export function credentialOf(request: Request): Credential {
  const url = new URL(request.url);
  const headers: [string, string][] = [];
  for (const name of kept) {
    const value = request.headers.get(name);
    if (value !== null) headers.push([name, value]);
  }
  // A page cannot set headers on a browser's WebSocket.
  const organization = url.searchParams.get("organization_id");
  if (organization !== null && !request.headers.has("x-organization-id")) {
    headers.push(["x-organization-id", encodeURIComponent(organization)]);
  }
  const mode = url.searchParams.get("mode");
  const address = `${url.origin}${url.pathname}${mode === null ? "" : `?mode=${encodeURIComponent(mode)}`}`;
  return {
    name: JSON.stringify([address, headers]),
    request: () => new Request(address, { headers }),
  };
}
