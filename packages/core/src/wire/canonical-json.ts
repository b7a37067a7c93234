/**
 * JSON according to RFC 8785: no spaces, keys in the order of their UTF-16 code units, numbers and strings as
 * `JSON.stringify` writes them. Equal values have equal text, so a hash of the text identifies the value.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new TypeError("a lone surrogate has no canonical form");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) {
    const entries = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, field]) => `${canonicalJson(key)}:${canonicalJson(field)}`).join(",")}}`;
  }
  throw new TypeError(`JSON has no ${typeof value}`);
}

/** A date or a map would be encoded as something else, or as nothing. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
