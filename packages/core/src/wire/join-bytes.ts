const encoder = new TextEncoder();

/** Joins pieces into one, without copying those that are already adjacent in memory. */
export function joinBytes<Memory extends ArrayBufferLike>(
  pieces: readonly (Uint8Array<Memory> | string)[],
): Uint8Array<Memory | ArrayBuffer> {
  const [single] = pieces;
  if (pieces.length === 1 && single !== undefined && typeof single !== "string") return single;
  const parts: Uint8Array<Memory | ArrayBuffer>[] = [];
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    const last = parts.at(-1);
    if (last && last.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
      parts[parts.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length);
    } else {
      parts.push(bytes);
    }
  }
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return Buffer.concat(parts);
}
