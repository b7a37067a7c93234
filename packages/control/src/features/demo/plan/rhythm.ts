/** How busy an hour is, relative to others. */
export type Rhythm = (hourOfDay: number, dayOfWeek: number) => number;

const isWeekend = (dayOfWeek: number) => dayOfWeek === 0 || dayOfWeek === 6;

/** UTC hours; day 0 is Sunday. */
export const rhythms = {
  /** Customers write all day, most in the evening, and half as much on weekends. */
  customers: (hour, day) => (isWeekend(day) ? 0.5 : 1) * (0.15 + bell(hour, 11, 3) + 1.2 * bell(hour, 18, 3)),
  /** Employees: working days, with a dip at noon. */
  office: (hour, day) =>
    (isWeekend(day) ? 0.06 : 1) * (0.02 + bell(hour, 10, 1.6) + 0.9 * bell(hour, 15, 1.8)),
  /** A nightly job; the one before Monday is small, because nothing came in. */
  nightly: (hour, day) => (hour === 2 || hour === 3 ? 1 : 0) * (isWeekend(day) ? 0.4 : 1),
  steady: () => 1,
} satisfies Readonly<Record<string, Rhythm>>;

export type RhythmName = keyof typeof rhythms;

function bell(hour: number, peak: number, width: number): number {
  return Math.exp(-((hour - peak) ** 2) / (2 * width ** 2));
}
