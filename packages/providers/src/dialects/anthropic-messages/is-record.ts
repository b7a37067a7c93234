export type WireObject = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
