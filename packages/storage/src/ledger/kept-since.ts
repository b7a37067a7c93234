import { DAY_MS } from "@tollgate/core/time/durations";
import type { LedgerReader } from "./ledger-reader.ts";

/** Retention of so many days keeps what was admitted at this moment or later. */
export function keptSince(ledger: LedgerReader, days: number, nowMs: number): number {
  const newest = ledger.newest(1)[0]?.event.created_at ?? 0;
  // With the newest event: a clock that is far ahead must not remove everything.
  return Math.min(nowMs, newest) - days * DAY_MS;
}
