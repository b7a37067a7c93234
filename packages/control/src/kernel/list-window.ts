import { fail } from "@tollgate/core/errors";
import { historyStart } from "@tollgate/core/limits/history-window";
import type { Context } from "./context.ts";

interface Asked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The window of a list, within the tier's history. */
export function listWindow(context: Context, { from, to }: Asked): { from: number; to?: number } {
  if (from !== undefined && to !== undefined && from > to) {
    throw fail("invalid_request", "from is later than to");
  }
  const start = historyStart(context.organization.tier, context.now());
  return { from: Math.max(from ?? start, start), ...(to === undefined ? {} : { to }) };
}
