import { MAX_FRAME_BYTES } from "@tollgate/providers/sse";

/** `{`, and `[`: google wraps some errors in an array. */
const openings: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);
/** Blanks, and the bytes of a byte order mark. */
const skipped: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The body of an answer that claims to be a stream, but is one JSON value: most likely the provider's error. */
export class UnframedBody {
  /** Until it is decided: what both kinds may begin with. After that: the JSON. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  #kind: "undecided" | "stream" | "json" = "undecided";

  /** The bytes that belong to a stream; null: none of them do, as far as is known. */
  take(bytes: Uint8Array): Uint8Array | null {
    if (this.#kind === "stream") return bytes;
    const start = this.#kind === "undecided" ? bytes.findIndex(byte => !skipped.has(byte)) : 0;
    if (this.#kind === "undecided" && start >= 0) {
      this.#kind = openings.has(bytes[start]) ? "json" : "stream";
      const before = this.#pieces;
      this.#pieces = [];
      this.#size = 0;
      if (this.#kind === "stream") return before.length === 0 ? bytes : Buffer.concat([...before, bytes]);
    }
    const piece = this.#kind === "json" ? bytes.subarray(start) : bytes;
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size > MAX_FRAME_BYTES) throw new RangeError("too large for an answer that should be a stream");
    return null;
  }

  /** null: it is a stream. */
  text(): string | null {
    return this.#kind === "json" ? new TextDecoder().decode(Buffer.concat(this.#pieces)) : null;
  }
}
