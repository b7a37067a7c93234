import { fail } from "../errors.ts";
import { type Tier, tiers } from "./tiers.ts";

/** What a caller asks for; everything may be left out. Epoch milliseconds. */
interface AskedWindow {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly days?: number | undefined;
  readonly period_days?: number | undefined;
}

export interface HistoryWindow {
  readonly from: number;
  /** Excluded. */
  readonly to: number;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Nothing was called before; a window that begins earlier has only more empty days. */
const EARLIEST = Date.UTC(2020, 0, 1);
const FARTHEST_AHEAD_MS = 366 * DAY_MS;

/** The first moment that the tier still shows. */
export function historyStart(tier: Tier, nowMs: number): number {
  const { historyDays } = tiers[tier];
  return Number.isFinite(historyDays) ? nowMs - historyDays * DAY_MS : EARLIEST;
}

/** The window that is shown: the last 30 days unless asked otherwise, clamped in silence to the tier's history. */
export function historyWindow(asked: AskedWindow, tier: Tier, nowMs: number): HistoryWindow {
  const { days, period_days: periodDays } = asked;
  if (days !== undefined && periodDays !== undefined && days !== periodDays) {
    throw fail("invalid_request", "days and period_days say different things; send one of them");
  }
  const to = asked.to ?? nowMs;
  if (to > nowMs + FARTHEST_AHEAD_MS) throw fail("invalid_request", "to is more than a year in the future");
  if (asked.from !== undefined && asked.from > to) throw fail("invalid_request", "from is later than to");
  const wanted = asked.from ?? to - (days ?? periodDays ?? DEFAULT_DAYS) * DAY_MS;
  const from = Math.max(wanted, historyStart(tier, nowMs));
  return { from, to: Math.max(from, to) };
}

/** The same, with the first moment that the tier shows: what is older counts in no total. */
export function visibleWindow(
  asked: AskedWindow,
  tier: Tier,
  nowMs: number,
): HistoryWindow & { readonly visibleFrom: number } {
  return { ...historyWindow(asked, tier, nowMs), visibleFrom: historyStart(tier, nowMs) };
}

/** Where only whole UTC days are known, a day that is partly before the tier's history is left out. */
export function wholeDays({ from, to }: HistoryWindow): HistoryWindow {
  return { from: Math.min(Math.ceil(from / DAY_MS) * DAY_MS, to), to: to };
}
