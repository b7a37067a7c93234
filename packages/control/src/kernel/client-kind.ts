import type { RequestOrigin } from "./context.ts";

/** The kind of program, by its User-Agent. */
export function clientKind(agent: string | null): RequestOrigin["client"] {
  if (agent === null) return null;
  if (/^mozilla\//i.test(agent)) return "browser";
  return /^(curl|wget|httpie)\b/i.test(agent) ? "command_line" : "program";
}
