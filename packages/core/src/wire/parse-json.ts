/** undefined, which no JSON text represents: not JSON, or nested too deeply for the parser. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
