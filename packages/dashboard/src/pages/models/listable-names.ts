/** The web API answers 431 to a request head of 16 KB. Headers need some of it. */
const MAX_ENCODED = 8_000;

/**
 * The names that one request for prices can have, in one order. Clients choose the names that calls have: one with a
 * comma cannot be listed, and of many long ones only the shortest, which are those that may have a price.
 */
export function listableNames(models: readonly string[]): string[] {
  let length = 0;
  return models
    .filter(name => !name.includes(","))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .filter(name => {
      length += encodeURIComponent(`${name},`).length;
      return length <= MAX_ENCODED;
    });
}
