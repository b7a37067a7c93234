import { fail } from "@tollgate/core/errors";

const MAX_DEPTH = 64;
const poisonous = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Names that would reach an object's prototype when a value is copied, and NUL, which PostgreSQL keeps in no text,
 * are refused before anything else looks at the value. Walked without recursion: its depth is the caller's choice.
 */
export function refuseUnsafe(root: object): void {
  const waiting: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === "string") refuseNul(value);
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH)
      throw fail("invalid_request", `the body is nested deeper than ${MAX_DEPTH} levels`);
    for (const [name, inner] of Object.entries(value)) {
      if (poisonous.has(name)) throw fail("invalid_request", `${name} is not allowed as a name`);
      refuseNul(name);
      waiting.push({ value: inner, depth: depth + 1 });
    }
  }
}

export function refuseNul(text: string): void {
  if (text.includes("\u0000")) throw fail("invalid_request", "a text contains a NUL character");
}
