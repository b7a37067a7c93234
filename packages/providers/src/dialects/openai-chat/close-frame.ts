const LF = 10;
const CR = 13;

/**
 * The last frame of a careless sender may lack its blank line, and what we write next would become part of it.
 * Returns the same bytes where nothing is missing.
 */
export function closeFrame(raw: Uint8Array): Uint8Array {
  return isClosed(raw) ? raw : Buffer.concat([raw, Buffer.from("\n\n")]);
}

export function isClosed(raw: Uint8Array): boolean {
  const end = beforeLineEnd(raw, raw.length);
  return end === 0 || (end > 0 && beforeLineEnd(raw, end) >= 0);
}

/** Where the line end before `at` begins; -1 if absent. */
function beforeLineEnd(raw: Uint8Array, at: number): number {
  if (raw[at - 1] === CR) return at - 1;
  if (raw[at - 1] !== LF) return -1;
  return raw[at - 2] === CR ? at - 2 : at - 1;
}
