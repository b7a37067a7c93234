import { fail } from "../errors.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOfDay } from "../time/start-of-day.ts";
import { type Tier, tiers } from "./tiers.ts";

/** The requested window; everything is optional. Epoch milliseconds. */
interface AskedWindow {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly days?: number | undefined;
  readonly period_days?: number | undefined;
}

export interface HistoryWindow {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const DEFAULT_DAYS = 30;
/** There are no calls before this; an earlier window would only have more empty days. */
const EARLIEST = Date.UTC(2020, 0, 1);
const MAX_AHEAD_MS = 366 * DAY_MS;

/** The earliest time that the tier shows. */
export function historyStart(tier: Tier, nowMs: number): number {
  const { historyDays } = tiers[tier];
  return Number.isFinite(historyDays) ? nowMs - historyDays * DAY_MS : EARLIEST;
}

/** The visible window: the last 30 days by default, silently clamped to the tier's history. */
export function historyWindow(asked: AskedWindow, tier: Tier, nowMs: number): HistoryWindow {
  const { days, period_days: periodDays } = asked;
  if (days !== undefined && periodDays !== undefined && days !== periodDays) {
    throw fail("invalid_request", "days and period_days differ; send one of them");
  }
  const to = asked.to ?? nowMs;
  if (to > nowMs + MAX_AHEAD_MS) throw fail("invalid_request", "to is more than a year in the future");
  if (asked.from !== undefined && asked.from > to) throw fail("invalid_request", "from is later than to");
  const wanted = asked.from ?? to - (days ?? periodDays ?? DEFAULT_DAYS) * DAY_MS;
  const from = Math.max(wanted, historyStart(tier, nowMs));
  return { from, to: Math.max(from, to) };
}

/** The same, with the earliest time that the tier shows: anything older counts in no total. */
export function visibleWindow(
  asked: AskedWindow,
  tier: Tier,
  nowMs: number,
): HistoryWindow & { readonly visibleFrom: number } {
  return { ...historyWindow(asked, tier, nowMs), visibleFrom: historyStart(tier, nowMs) };
}

/** If only whole UTC days are known, a day that is partly before the tier's history is excluded. */
export function wholeDays({ from, to }: HistoryWindow): HistoryWindow {
  return { from: Math.min(Math.ceil(from / DAY_MS) * DAY_MS, to), to: to };
}

/** The whole UTC days of a window. Today is not over: its calls are no day's calls yet. */
export function daysBeforeToday({ from }: HistoryWindow, nowMs: number): HistoryWindow {
  const today = startOfDay(nowMs);
  return wholeDays({ from: Math.min(from, today), to: today });
}
