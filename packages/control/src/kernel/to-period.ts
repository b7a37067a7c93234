import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";

export function toPeriod({ from, to }: HistoryWindow): { from: string; to: string } {
  return { from: toIsoTime(from), to: toIsoTime(to) };
}
