/**
 * JSON whose integers keep all their digits. `JSON.parse` rounds those beyond 2⁵³, and a tool called with a
 * 19-digit id would look up another record. Such a number becomes an opaque value that `JSON.stringify` writes as
 * it was read.
 */

/** As the standard has it; TypeScript's library does not know it yet. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  /** Absent in Node 20, where `rawJSON` cannot make such a value either. */
  isRawJSON?(value: unknown): boolean;
}

const json = JSON as unknown as SourceTextJson;

/** The least that can be beyond 2⁵³, and no fraction. Nearly no text holds it, and all others are read at full speed. */
const MAY_BE_LARGE = /[^.\d]\d{16}/;
/**
 * Inspecting every value is several times slower and blocks the event loop: at most this many characters per turn,
 * over all texts of a call.
 */
const MOST_AT_ONCE = 2_097_152;
const WHOLE = /^-?\d+$/;

let lookedThrough = 0;

/** Throws as `JSON.parse` does, and rounds as it does beyond `MOST_AT_ONCE`. */
export function parseExactly(text: string): unknown {
  if (!MAY_BE_LARGE.test(text) || lookedThrough + text.length > MOST_AT_ONCE) return JSON.parse(text);
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

/** Written as `parseExactly` read it, and nothing to look into. */
export function isLargeNumber(value: unknown): boolean {
  return json.isRawJSON?.(value) === true;
}
