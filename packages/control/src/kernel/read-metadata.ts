/** Stored metadata: always a JSON object that we wrote ourselves. */
export function readMetadata(stored: string): Record<string, unknown> {
  const value: unknown = JSON.parse(stored);
  return typeof value === "object" && value !== null ? { ...value } : {};
}
