import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import { DAY_MS } from "@tollgate/core/time/durations";

export function toPeriod({ from, to }: HistoryWindow): { from: string; to: string } {
  return { from: toIsoTime(from), to: toIsoTime(to) };
}

/** The days a window really covers, after clamping. */
export function effectiveDays({ from, to }: HistoryWindow): number {
  return Math.max(1, Math.round((to - from) / DAY_MS));
}
