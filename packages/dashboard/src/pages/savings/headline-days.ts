/** Windows of the headline figures, in days. */
export const headlineWindows = [7, 30, 90] as const;
export type HeadlineDays = (typeof headlineWindows)[number];
export const DEFAULT_DAYS: HeadlineDays = 30;

/** `days` in the URL. A value that makes no sense is dropped, so that an old or mistyped link still opens. */
export function readHeadlineDays(raw: Readonly<Record<string, unknown>>): {
  readonly days?: HeadlineDays | undefined;
} {
  const days = headlineWindows.find(one => String(one) === String(raw.days));
  return days === undefined || days === DEFAULT_DAYS ? {} : { days };
}
