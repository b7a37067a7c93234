/** Admitted calls, or those that the gateway refused. */
export type Show = "calls" | "refused";

/** `show` in the URL; calls are the default. */
export function readShow(raw: Readonly<Record<string, unknown>>): { readonly show?: "refused" } {
  return raw.show === "refused" ? { show: "refused" } : {};
}
