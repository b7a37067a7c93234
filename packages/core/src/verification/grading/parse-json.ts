/** undefined: not JSON, which no JSON text means. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, or nested too deeply for the parser: a client could not read it either.
    return undefined;
  }
}
