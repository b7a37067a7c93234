import { z } from "zod";
import { isoTime, toIsoTime } from "./iso-time.ts";

/** How a number was reached. The first three have no interval: nothing about them was estimated. */
const envelopeMethods = [
  "count",
  "sum",
  "exact",
  "ratio_wilson",
  "mean_t",
  "paired_t",
  "betting_cs",
] as const;

/** Every number of a loop view: the value, the interval where there is one, and what it is based on. */
export const envelope = z
  .strictObject({
    value: z.number().nullable().meta({ description: "null: not known" }),
    ci_low: z.number().nullable(),
    ci_high: z.number().nullable(),
    method: z.enum(envelopeMethods),
    data_through: isoTime
      .nullable()
      .meta({ description: "The time of the newest data; null: there is none" }),
  })
  .meta({
    id: "Envelope",
    description:
      "A number. `ci_low` and `ci_high` are null for values without an interval: counts, sums, settings",
  });

export type Envelope = z.infer<typeof envelope>;

interface Interval {
  readonly low: number;
  readonly high: number;
}

type Measured =
  | { readonly method: "count" | "sum" | "exact"; readonly value: number | null }
  | {
      readonly method: "ratio_wilson" | "mean_t" | "paired_t" | "betting_cs";
      readonly value: number | null;
      /** null: too little data for one. */
      readonly interval: Interval | null;
    };

/**
 * The only place where an envelope is made. An interval that does not contain its value is left out: the running
 * intersection of a confidence sequence can exclude the sample mean.
 */
export function toEnvelope(measured: Measured, dataThroughMs: number | null): Envelope {
  const { value, method } = measured;
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`${method} of ${value}`);
  const interval = "interval" in measured ? measured.interval : null;
  const isReal = interval !== null && value !== null && contains(interval, value);
  return {
    value,
    ci_low: isReal ? interval.low : null,
    ci_high: isReal ? interval.high : null,
    method,
    data_through: dataThroughMs === null ? null : toIsoTime(dataThroughMs),
  };
}

function contains({ low, high }: Interval, value: number): boolean {
  return Number.isFinite(low) && Number.isFinite(high) && low <= value && value <= high;
}
