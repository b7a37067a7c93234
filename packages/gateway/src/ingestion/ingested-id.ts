/**
 * The ledger's id of something that may arrive again: a UUID (version 8) made from what identifies it, so that the
 * same event is the same row, also after a restart, and two organizations may use the same name for their own.
 */
export function ingestedId(orgId: string, mode: string, identity: readonly string[]): string {
  // As JSON, so that no two lists of parts run together into the same text.
  const digest = Buffer.from(
    new Bun.SHA256().update(JSON.stringify([orgId, mode, ...identity])).digest("hex"),
    "hex",
  );
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
