import type { z } from "zod";

/**
 * The answer as the tool declares it. A web API that is newer than this package may say more: that is left out, for
 * clients hold an answer against the declared schema. Anything else that does not fit is a fault.
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
