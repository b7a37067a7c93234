import { DAY_MS, HOUR_MS, MINUTE_MS } from "@tollgate/core/time/durations";
import { minuteTime } from "../format/time.ts";
import { DEFAULT_RANGE, type RangePreset, type ViewSearch } from "./view-search.ts";

const presetLengthMs: Readonly<Record<RangePreset, number>> = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
  "90d": 90 * DAY_MS,
};

export const presetTitles: Readonly<Record<RangePreset, string>> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
};

/** One window for everything on the screen: `from` included, `to` excluded. */
export interface Range {
  /** null: chosen by hand. */
  readonly preset: RangePreset | null;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly lengthMs: number;
  /** The window of the same length before it; null: not compared. */
  readonly previous: { readonly from: string; readonly to: string } | null;
}

/** `asOfMs`: where a range that ends now ends. */
export function rangeOf(search: ViewSearch, asOfMs: number): Range {
  const custom = search.from !== undefined && search.to !== undefined;
  const preset = custom ? null : (search.range ?? DEFAULT_RANGE);
  const toMs = custom ? Date.parse(search.to) : asOfMs;
  const fromMs = preset === null ? Date.parse(search.from ?? "") : toMs - presetLengthMs[preset];
  const iso = (ms: number) => new Date(ms).toISOString();
  const lengthMs = toMs - fromMs;
  return {
    preset,
    title: preset === null ? `${minuteTime(fromMs)} to ${minuteTime(toMs)}` : presetTitles[preset],
    from: iso(fromMs),
    to: iso(toMs),
    lengthMs,
    previous: search.compare === "off" ? null : { from: iso(fromMs - lengthMs), to: iso(fromMs) },
  };
}
