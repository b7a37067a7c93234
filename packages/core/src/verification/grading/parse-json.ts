/** undefined, which no JSON text represents: not JSON. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    // Not JSON, or nested too deeply for the parser: a client could not read it either.
    return undefined;
  }
}
