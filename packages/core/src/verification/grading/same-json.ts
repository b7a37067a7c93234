import { isLargeNumber } from "../../wire/exact-json.ts";

/** Deeper values are not compared: the stack is finite, and answers are untrusted. */
const MAX_DEPTH = 200;

/**
 * Equal by value: the order of keys does not matter, that of list items does. `tolerance` applies to fractions,
 * relative for large ones and absolute for small ones. Integers count or identify something, so they must be equal.
 */
export function sameJson(a: unknown, b: unknown, tolerance: number, depth = 0): boolean {
  if (typeof a === "number" && typeof b === "number") return isNear(a, b, tolerance);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (isLargeNumber(a) || isLargeNumber(b)) return JSON.stringify(a) === JSON.stringify(b);
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index], tolerance, depth + 1))
    );
  }
  const fields = Object.entries(a);
  const others = new Map(Object.entries(b));
  return (
    fields.length === others.size &&
    fields.every(([key, field]) => others.has(key) && sameJson(field, others.get(key), tolerance, depth + 1))
  );
}

function isNear(a: number, b: number, tolerance: number): boolean {
  if (Number.isInteger(a) && Number.isInteger(b)) return a === b;
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}
