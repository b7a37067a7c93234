/** 128 random bits in hex: nobody guesses one. */
export function newShareToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
}

/** What is stored of it: whoever reads the database cannot open a report with it. */
export function shareTokenDigest(token: string): string {
  return new Bun.SHA256().update(token).digest("hex");
}
