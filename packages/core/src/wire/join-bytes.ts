const encoder = new TextEncoder();

/** One piece of bytes from many, without copying where they already lie side by side. */
export function joinBytes(pieces: readonly (Uint8Array | string)[]): Uint8Array {
  const parts: Uint8Array[] = [];
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
