import type { Endpoint, Routed } from "../request/routed.ts";

export interface Hashes {
  readonly requestHash: string;
  readonly prefixHash: string | null;
}

export function hashesOf(hashSalt: string, routed: Routed, { dialect }: Endpoint): Hashes {
  const prefix = dialect.prefix(routed.body);
  return {
    requestHash: saltedHash(hashSalt, routed.bytes),
    prefixHash: prefix === "" ? null : saltedHash(hashSalt, prefix),
  };
}

/** Detects equal requests within one organization; reveals neither content nor equality across organizations. */
function saltedHash(salt: string, content: string | Uint8Array): string {
  return new Bun.SHA256().update(salt).update(content).digest("hex").slice(0, 32);
}
