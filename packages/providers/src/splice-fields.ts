import { joinBytes } from "@tollgate/core/wire/join-bytes";
import type { JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * The client's own bytes with some of their top-level fields changed. All other bytes stay the same: re-encoding the
 * whole body would round numbers beyond 2⁵³ and lose the client's formatting. `before` is the parsed bytes, `after` the
 * required content. New fields go to the front: that costs no more than a copy, and is all that most streams need.
 */
export function spliceFields(
  bytes: Uint8Array<ArrayBuffer>,
  before: JsonObject,
  after: JsonObject,
): Uint8Array<ArrayBuffer> {
  if (after === before) return bytes;
  const added: string[] = [];
  const changed = new Set<string>();
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) added.push(field(name, after[name]));
    else if (after[name] !== before[name]) changed.add(name);
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changed.add(name);

  const open = bytes.indexOf(OPEN_BRACE) + 1;
  if (changed.size === 0) return added.length === 0 ? bytes : join(bytes, open, added);

  const pieces: (string | Uint8Array<ArrayBuffer>)[] = [bytes.subarray(0, open)];
  let isFirst = true;
  const put = (...piece: readonly (string | Uint8Array<ArrayBuffer>)[]) => {
    if (!isFirst) pieces.push(",");
    isFirst = false;
    pieces.push(...piece);
  };
  for (const text of added) put(text);
  const scanner = new Scanner(bytes, open);
  // A duplicate name is changed twice, because it is unknown which of the two a provider reads.
  for (let member = scanner.next(); member !== null; member = scanner.next()) {
    if (!changed.has(member.name)) put(bytes.subarray(member.start, member.end));
    else if (Object.hasOwn(after, member.name)) {
      put(bytes.subarray(member.start, member.valueStart), JSON.stringify(after[member.name]));
    }
  }
  pieces.push(bytes.subarray(scanner.at));
  return joinBytes(pieces);
}

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;

const decoder = new TextDecoder();

function field(name: string, value: unknown): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function join(
  bytes: Uint8Array<ArrayBuffer>,
  open: number,
  added: readonly string[],
): Uint8Array<ArrayBuffer> {
  const comma = new Scanner(bytes, open).isEmpty() ? "" : ",";
  return joinBytes([bytes.subarray(0, open), added.join(",") + comma, bytes.subarray(open)]);
}

interface Member {
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Finds the members of the outermost object in valid JSON text. */
class Scanner {
  constructor(
    private readonly bytes: Uint8Array,
    /** At the end: the closing brace, with the space before it. */
    public at: number,
  ) {}

  isEmpty(): boolean {
    return this.bytes[this.#skipSpace(this.at)] === CLOSE_BRACE;
  }

  next(): Member | null {
    let start = this.#skipSpace(this.at);
    if (this.bytes[start] === COMMA) start = this.#skipSpace(start + 1);
    if (this.bytes[start] !== QUOTE) return null;
    const nameEnd = this.#skipString(start);
    const name: unknown = JSON.parse(decoder.decode(this.bytes.subarray(start, nameEnd)));
    const colon = this.#skipSpace(nameEnd);
    if (typeof name !== "string" || this.bytes[colon] !== COLON) return null;
    const valueStart = this.#skipSpace(colon + 1);
    const end = this.#skipValue(valueStart);
    this.at = end;
    return { name, start, valueStart, end };
  }

  #skipSpace(from: number): number {
    let at = from;
    for (let byte = this.bytes[at]; byte === 32 || byte === 10 || byte === 13 || byte === 9; ) {
      byte = this.bytes[++at];
    }
    return at;
  }

  #skipString(from: number): number {
    let at = from + 1;
    while (at < this.bytes.length && this.bytes[at] !== QUOTE) at += this.bytes[at] === BACKSLASH ? 2 : 1;
    return at + 1;
  }

  /** Counts brackets instead of recursing: a body may be deeply nested. */
  #skipValue(from: number): number {
    let depth = 0;
    let at = from;
    while (at < this.bytes.length) {
      const byte = this.bytes[at];
      if (byte === QUOTE) {
        at = this.#skipString(at);
        if (depth === 0) return at;
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return this.#trimmed(at);
        depth--;
        if (depth === 0) return at + 1;
      } else if (byte === COMMA && depth === 0) return this.#trimmed(at);
      at++;
    }
    return at;
  }

  /** A number or literal ends where the space after it begins. */
  #trimmed(from: number): number {
    let at = from;
    for (let byte = this.bytes[at - 1]; byte === 32 || byte === 10 || byte === 13 || byte === 9; ) {
      byte = this.bytes[--at - 1];
    }
    return at;
  }
}
