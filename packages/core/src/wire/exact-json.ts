/**
 * JSON whose integers keep all their digits. `JSON.parse` rounds those beyond 2⁵³, and a tool called with a 19-digit id
 * would look up another record. Such a number becomes an opaque value that `JSON.stringify` writes unchanged.
 */

/** In the standard, but not yet in TypeScript's library. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  /** Absent in Node 20, where `rawJSON` cannot create such a value either. */
  isRawJSON?(value: unknown): boolean;
}

const json = JSON as unknown as SourceTextJson;

/** Matches any integer that may exceed 2⁵³. Hardly any text has one, and all others are parsed at full speed. */
const MAY_BE_LARGE = /[^.\d]\d{16}/;
/**
 * Inspecting every value is several times slower and blocks the event loop: at most this many characters per turn, over
 * all texts of a call.
 */
const MAX_CHARACTERS_PER_TURN = 2_097_152;
const WHOLE = /^-?\d+$/;

let lookedThrough = 0;

/** Throws like `JSON.parse`, and rounds like it beyond `MAX_CHARACTERS_PER_TURN`. */
export function parseExactly(text: string): unknown {
  if (!MAY_BE_LARGE.test(text) || lookedThrough + text.length > MAX_CHARACTERS_PER_TURN)
    return JSON.parse(text);
  if (lookedThrough === 0) queueMicrotask(forget);
  lookedThrough += text.length;
  return json.parse(text, keepDigits);
}

function forget(): void {
  lookedThrough = 0;
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return source !== undefined && WHOLE.test(source) ? json.rawJSON(source) : value;
}

/** Rounded, for calculation. undefined: not a number. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return isLargeNumber(value) ? Number(JSON.stringify(value)) : undefined;
}

/** A number kept by `parseExactly`; an object, but without properties. */
export function isLargeNumber(value: unknown): boolean {
  return json.isRawJSON?.(value) === true;
}
