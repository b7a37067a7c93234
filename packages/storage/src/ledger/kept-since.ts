import { DAY_MS } from "@tollgate/core/time/durations";
import type { LedgerReader } from "./ledger-reader.ts";

/** The earliest admission time that a retention of `days` days keeps. */
export function keptSince(ledger: LedgerReader, days: number, nowMs: number): number {
  const newest = ledger.newest(1)[0]?.event.created_at ?? 0;
  // With the newest event: a clock that is far ahead must not remove everything.
  return Math.min(nowMs, newest) - days * DAY_MS;
}
