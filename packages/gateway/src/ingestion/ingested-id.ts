/**
 * The ledger id of an event that may arrive again: a UUID (version 8) derived from its identity. The same event maps to
 * the same row even after a restart, and two organizations may use the same names.
 */
export function ingestedId(orgId: string, mode: string, identity: readonly string[]): string {
  // As JSON, so that different lists of parts never produce the same text.
  const digest = Buffer.from(
    new Bun.SHA256().update(JSON.stringify([orgId, mode, ...identity])).digest("hex"),
    "hex",
  );
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
