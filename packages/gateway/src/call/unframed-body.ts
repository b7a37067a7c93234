import { MAX_FRAME_BYTES } from "@tollgate/providers/sse";

const OPENING_BRACE = 0x7b;
/** Blanks, and the bytes of a byte order mark. */
const skipped: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The body of an answer that claims to be a stream, but is one JSON object: most likely the provider's error. */
export class UnframedBody {
  #pieces: Uint8Array[] | null = null;
  #size = 0;
  #isDecided = false;

  /** True: the bytes are part of an object. False: they belong to a stream. */
  take(bytes: Uint8Array): boolean {
    if (!this.#isDecided) {
      const first = bytes.find(byte => !skipped.has(byte));
      if (first === undefined) return false;
      this.#isDecided = true;
      if (first === OPENING_BRACE) this.#pieces = [];
    }
    if (this.#pieces === null) return false;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#size > MAX_FRAME_BYTES) throw new RangeError("too large for an answer that should be a stream");
    return true;
  }

  /** null: it is a stream. */
  text(): string | null {
    return this.#pieces === null ? null : new TextDecoder().decode(Buffer.concat(this.#pieces));
  }
}
