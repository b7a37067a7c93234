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
  const code = "code" in fault && typeof fault.code === "string" ? ` ${fault.code}` : "";
  return { fault: fault.name + code, at: frames.slice(0, 6).join(" ").trim() };
}
