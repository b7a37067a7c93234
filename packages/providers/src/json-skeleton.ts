/**
 * The parts of an answer that a meter needs, for answers too large for memory: the same JSON with long strings
 * truncated and long lists of numbers shortened. Usage, model and ids are short and stay; vectors, audio and images go.
 */
const MAX_STRING_BYTES = 256;
const MAX_NUMBERS = 4;
/** No provider sends an answer with this much structure, so a larger one is not read. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LETTER_U = 0x75;
const SPACE = 0x20;

const isStructure = new Uint8Array(256);
for (const byte of [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isStructure[byte] = 1;

/** The kind of token that the next byte belongs to. A primitive is a number, `true`, `false` or `null`. */
type Place = "between" | "string" | "primitive" | "dropped primitive";

const decoder = new TextDecoder();

export class JsonSkeleton {
  #kept = Buffer.alloc(4096);
  #size = 0;
  #isTooLarge = false;
  #place: Place = "between";
  /** For each open list or object: the number of primitives so far, or -1 for an object. */
  readonly #open: number[] = [];
  #owesComma = false;
  #stringBytes = 0;
  /** Bytes left of an escape, which must not be split. */
  #escapeLeft = 0;
  #isCut = false;

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#place === "dropped primitive") at = this.#skipNumbers(bytes, at);
      else if (this.#isCut && this.#place === "string" && this.#escapeLeft === 0) at = skipText(bytes, at);
      if (at === bytes.length) return;
      const byte = bytes[at] ?? 0;
      switch (this.#place) {
        case "string":
          this.#inString(byte);
          break;
        case "primitive":
        case "dropped primitive":
          this.#inPrimitive(byte);
          break;
        case "between":
          this.#between(byte);
          break;
      }
    }
  }

  /** null: the JSON is incomplete, or has too much structure. */
  end(): string | null {
    if (this.#isTooLarge || this.#size === 0 || this.#open.length > 0 || this.#place === "string")
      return null;
    return decoder.decode(this.#kept.subarray(0, this.#size));
  }

  /** Skips most of a vector: to the end of the list, or to an element that is not a number. */
  #skipNumbers(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && isStructure[bytes[at] ?? 0] === 0) at++;
    if (at > from) this.#owesComma = true;
    return at;
  }

  #inString(byte: number): void {
    if (this.#escapeLeft > 0) {
      this.#escapeLeft += byte === LETTER_U && this.#escapeLeft === 1 ? 3 : -1;
      this.#keepUnlessCut(byte);
      return;
    }
    if (byte === QUOTE) {
      this.#place = "between";
      this.#keep(byte);
      return;
    }
    if (this.#stringBytes >= MAX_STRING_BYTES) this.#isCut = true;
    // In "\u00e9", four more bytes follow the letter; the letter itself is counted above.
    if (byte === BACKSLASH) this.#escapeLeft = 1;
    this.#keepUnlessCut(byte);
  }

  #keepUnlessCut(byte: number): void {
    this.#stringBytes++;
    if (!this.#isCut) this.#keep(byte);
  }

  #inPrimitive(byte: number): void {
    if (byte <= SPACE || byte === COMMA || isStructure[byte] === 1) {
      this.#place = "between";
      this.#between(byte);
    } else if (this.#place === "primitive") this.#keep(byte);
  }

  #between(byte: number): void {
    switch (byte) {
      case COMMA:
        this.#owesComma = true;
        return;
      case COLON:
        this.#keep(byte);
        return;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#owesComma = false;
        this.#open.pop();
        this.#keep(byte);
        return;
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#beginToken(byte);
        this.#open.push(byte === OPEN_LIST ? 0 : -1);
        return;
      case QUOTE:
        this.#beginToken(byte);
        this.#place = "string";
        this.#stringBytes = 0;
        this.#isCut = false;
        return;
      default:
        if (byte > SPACE) this.#beginPrimitive(byte);
    }
  }

  #beginPrimitive(byte: number): void {
    const innermost = this.#open.length - 1;
    const before = this.#open[innermost] ?? -1;
    if (before >= MAX_NUMBERS) {
      this.#place = "dropped primitive";
      return;
    }
    if (before >= 0) this.#open[innermost] = before + 1;
    this.#place = "primitive";
    this.#beginToken(byte);
  }

  #beginToken(byte: number): void {
    if (this.#owesComma) this.#keep(COMMA);
    this.#owesComma = false;
    this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#size === this.#kept.length) this.#grow();
    if (!this.#isTooLarge) this.#kept[this.#size++] = byte;
  }

  #grow(): void {
    if (this.#size * 2 > MAX_KEPT_BYTES) {
      this.#isTooLarge = true;
      return;
    }
    const larger = Buffer.alloc(this.#size * 2);
    this.#kept.copy(larger);
    this.#kept = larger;
  }
}

function skipText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
  return at;
}
