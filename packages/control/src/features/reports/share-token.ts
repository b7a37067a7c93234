/** 128 random bits in hex, which cannot be guessed. */
export function newShareToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
}

/** Only the digest is stored, so a copy of the database opens no report. */
export function shareTokenDigest(token: string): string {
  return new Bun.SHA256().update(token).digest("hex");
}
