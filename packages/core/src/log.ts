/**
 * One line per noteworthy event. Only named, harmless fields: never a header, a body, a key, or the message of an
 * unexpected error (it may quote its input).
 */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
) => void;

/** Where an unexpected error came from, without its message. */
export function describeFault(fault: unknown): { fault: string; at: string } {
  if (!(fault instanceof Error)) return { fault: typeof fault, at: "" };
  const frames = (fault.stack ?? "").split("\n").filter(line => line.trimStart().startsWith("at "));
  // The code of PostgreSQL itself is in `errno`.
  const { code, errno } = fault as { code?: unknown; errno?: unknown };
  const codes = [code, errno].filter(value => typeof value === "string");
  return { fault: [fault.name, ...codes].join(" "), at: frames.slice(0, 6).join(" ").trim() };
}
