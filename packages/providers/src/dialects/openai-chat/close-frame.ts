const LF = 10;
const CR = 13;

/**
 * A sloppy sender may omit the blank line after its last frame, and our next frame would become part of it. Returns the
 * same bytes if nothing is missing.
 */
export function closeFrame(raw: Uint8Array): Uint8Array {
  return isClosed(raw) ? raw : Buffer.concat([raw, Buffer.from("\n\n")]);
}

export function isClosed(raw: Uint8Array): boolean {
  const end = beforeLineEnd(raw, raw.length);
  return end === 0 || (end > 0 && beforeLineEnd(raw, end) >= 0);
}

/** Index where the line end before `at` begins; -1: none. */
function beforeLineEnd(raw: Uint8Array, at: number): number {
  if (raw[at - 1] === CR) return at - 1;
  if (raw[at - 1] !== LF) return -1;
  return raw[at - 2] === CR ? at - 2 : at - 1;
}
