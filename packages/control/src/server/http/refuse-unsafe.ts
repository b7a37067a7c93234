import { fail } from "@tollgate/core/errors";

const MAX_DEPTH = 64;
/** Far above what any operation needs. Validation walks every value and blocks all other requests while it does. */
export const MAX_VALUES = 100_000;
const poisonous = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Refuses names that would reach an object's prototype when a value is copied, what PostgreSQL cannot read in text or JSON
 * (NUL, and half of a character in UTF-16), and values with too many parts, before anything else looks at the value. Walks
 * level by level without recursion: the client chooses depth and size.
 */
export function refuseUnsafe(root: object): void {
  let values = 0;
  let level: Part[] = [{ path: "", value: root }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw fail("invalid_request", `the body is nested deeper than ${MAX_DEPTH} levels`);
    const below: Part[] = [];
    for (const { path, value } of level) {
      if (Array.isArray(value)) {
        values += value.length;
        refuseMany(values);
        for (let index = 0; index < value.length; index++) refuseOrKeep(path, value[index], below);
        continue;
      }
      const fields = value as Readonly<Record<string, unknown>>;
      for (const name in fields) {
        refuseMany(++values);
        if (poisonous.has(name)) throw fail("invalid_request", `${name} is not allowed as a name`);
        refuseUnreadable("a name", name);
        refuseOrKeep(path === "" ? name : `${path}.${name}`, fields[name], below);
      }
    }
    level = below;
  }
}

interface Part {
  /** The names that lead to it; items of a list have that of the list. */
  readonly path: string;
  readonly value: object;
}

export function refuseMany(values: number): void {
  if (values <= MAX_VALUES) return;
  throw fail("invalid_request", `the body holds more than ${MAX_VALUES.toLocaleString("en")} values`);
}

/** Checks text immediately; queues nested values. */
function refuseOrKeep(path: string, value: unknown, below: Part[]): void {
  if (typeof value === "string") refuseUnreadable(path === "" ? "a text" : path, value);
  else if (typeof value === "object" && value !== null) below.push({ path, value });
}

function refuseUnreadable(what: string, text: string): void {
  if (text.includes("\u0000")) throw fail("invalid_request", `${what} contains a NUL character`);
  if (!text.isWellFormed()) throw fail("invalid_request", `${what} contains half of a character`);
}
