import type { z } from "zod";

/**
 * Validates an answer against the tool's schema. Additional fields of a newer web API are removed, because clients
 * validate the answer too. Any other mismatch is a fault.
 */
export function parseAnswer<O extends z.ZodObject>(schema: O, answer: unknown): z.output<O> {
  const first = schema.safeParse(answer);
  if (first.success) return first.data;
  for (const issue of first.error.issues) {
    if (issue.code === "unrecognized_keys") leaveOut(answer, issue.path, issue.keys);
  }
  return schema.parse(answer);
}

/** The answer was built for this call alone, so it may be mutated. */
function leaveOut(answer: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  let at = answer;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return;
    at = Reflect.get(at, step);
  }
  if (typeof at !== "object" || at === null) return;
  for (const key of keys) Reflect.deleteProperty(at, key);
}
