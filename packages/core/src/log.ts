/**
 * One line per thing worth knowing. Only named, harmless fields: never a header, a body, a key, nor the text of an
 * unexpected error (it may quote what it choked on).
 */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
) => void;

/** Where an unexpected error came from, without what it said. */
export function describeFault(fault: unknown): { fault: string; at: string } {
  if (!(fault instanceof Error)) return { fault: typeof fault, at: "" };
  const frames = (fault.stack ?? "").split("\n").filter(line => line.trimStart().startsWith("at "));
  const code = "code" in fault && typeof fault.code === "string" ? ` ${fault.code}` : "";
  return { fault: fault.name + code, at: frames.slice(0, 6).join(" ").trim() };
}
