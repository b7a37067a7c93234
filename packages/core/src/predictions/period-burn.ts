import { DAY_MS, HOUR_MS } from "../time/durations.ts";
import { startOf } from "../time/start-of-day.ts";
import { hourlyInflation } from "./hourly-inflation.ts";
import { momentInWords } from "./in-words.ts";
import type { Finding, Subject } from "./prediction.ts";
import { projectBurn } from "./project-burn.ts";

const MIN_UNITS = { hour: 6, day: 5 } as const;

interface Bucket {
  /** Its first millisecond. */
  readonly at: number;
}

interface Series<Part extends Bucket> {
  readonly hours: readonly Part[];
  readonly days: readonly Part[];
}

interface PeriodCourse<Part extends Bucket> {
  /** The unit of the burn rate: hours of a day, days of a month. */
  readonly unit: "hour" | "day";
  readonly amountOf: (bucket: Part) => number;
  readonly spent: number;
  readonly limit: number;
  readonly countsFrom: number;
  readonly endsAtMs: number;
  /** The start of a message about missing data: which of several budgets. */
  readonly needsInWords: string;
  readonly slopeUnit: string;
  readonly sentence: (perUnit: number, at: string) => string;
}

/** Will the remaining amount last until the end of the period? null: it is already used up. */
export function periodBurn<Part extends Bucket>(
  subject: Subject,
  series: Series<Part>,
  {
    unit,
    amountOf,
    spent,
    limit,
    countsFrom,
    endsAtMs,
    needsInWords,
    slopeUnit,
    sentence,
  }: PeriodCourse<Part>,
  nowMs: number,
): Finding | null {
  if (spent >= limit) return null;
  const unitMs = unit === "hour" ? HOUR_MS : DAY_MS;
  const known = new Map((unit === "hour" ? series.hours : series.days).map(bucket => [bucket.at, bucket]));
  const units: { at: number; value: number }[] = [];
  // A unit that started before the count did is not a whole one.
  const from = Math.ceil(countsFrom / unitMs) * unitMs;
  const to = startOf(nowMs, unitMs);
  for (let at = from; at < to; at += unitMs) {
    const bucket = known.get(at);
    units.push({ at, value: bucket === undefined ? 0 : amountOf(bucket) });
  }
  const fewest = MIN_UNITS[unit];
  if (units.length < fewest) {
    return {
      ...subject,
      kind: "insufficient",
      reason: `${needsInWords} ${fewest} whole ${unit}s of its period, has ${units.length}`,
    };
  }
  const burn = projectBurn({
    spent,
    limit,
    units: units.map(({ value }) => value),
    unitMs,
    nowMs,
    endsAtMs,
    inflation: unit === "hour" ? hourlyInflation(units, hoursBefore(series, from, amountOf)) : 1,
  });
  if (burn.exhaustsAtMs === null) return { ...subject, kind: "tested", p: burn.p, forecast: null };
  return {
    ...subject,
    kind: "tested",
    p: burn.p,
    forecast: {
      breachAt: burn.exhaustsAtMs,
      currentValue: spent,
      thresholdValue: limit,
      direction: burn.direction,
      message: sentence(burn.perUnit, momentInWords(burn.exhaustsAtMs)),
      observation: {
        n: units.length,
        unit,
        window: { from, to },
        tests: [{ name: "student_t_of_the_total", p: burn.p }],
        slope: burn.perUnit,
        slopeUnit,
        interval: { earliest: burn.earliest, latest: burn.latest },
      },
    },
  };
}

/** The seven days before the period, for the autocorrelation of hours. */
function hoursBefore<Part extends Bucket>(
  series: Series<Part>,
  fromMs: number,
  amountOf: (bucket: Part) => number,
) {
  return series.hours
    .filter(hour => hour.at < fromMs && hour.at >= fromMs - 7 * DAY_MS)
    .map(hour => ({ at: hour.at, value: amountOf(hour) }));
}
