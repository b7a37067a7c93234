/** Admitted calls, or those that the gateway refused. */
export type Show = "calls" | "refused";

interface ShowSearch {
  readonly show?: "refused" | undefined;
  /** Only calls that this budget refused. */
  readonly budget?: string | undefined;
}

const MAX_ID_LENGTH = 256;

/** `show` in the URL; calls are the default. */
export function readShow(raw: Readonly<Record<string, unknown>>): ShowSearch {
  if (raw.show !== "refused") return {};
  const { budget } = raw;
  const isId = typeof budget === "string" && budget !== "" && budget.length <= MAX_ID_LENGTH;
  return { show: "refused", ...(isId ? { budget } : {}) };
}
