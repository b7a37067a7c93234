/**
 * Google's compact JSON: a space after every colon, none after a comma, angle brackets escaped. Its whole answers are
 * indented instead.
 */
export function compactGoogleJson(value: unknown): string {
  return escapeAngles(write(value));
}

export function indentedGoogleJson(value: unknown): string {
  return `${escapeAngles(JSON.stringify(value, null, 2))}\n`;
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(entry => write(entry ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${write(field)}`).join(",")}}`;
}

function escapeAngles(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}
