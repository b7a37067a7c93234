/** A parsed value that must be a JSON object. */
export function object(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return { ...value };
}

/** A parsed value that must be a list of JSON objects. */
export function list(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error("not an array");
  return value.map(object);
}
