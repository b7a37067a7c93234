import type { HistoryWindow } from "@tollgate/core/limits/history-window";

const DAY_MS = 86_400_000;

/** The days a window really covers, after clamping. */
export function effectiveDays({ from, to }: HistoryWindow): number {
  return Math.max(1, Math.round((to - from) / DAY_MS));
}
