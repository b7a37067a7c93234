import { periodSpan } from "../budgets/period.ts";

/**
 * An alert's period as it appears in its key: a UTC day (`2026-11-15`), month (`2026-11`) or hour
 * (`2026-11-15T08`), followed after a colon by whatever else distinguishes it.
 */
export function dayPeriod(atMs: number): string {
  return periodSpan("daily", atMs).id;
}

export function monthPeriod(atMs: number): string {
  return periodSpan("monthly", atMs).id;
}

export function hourPeriod(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 13);
}

/**
 * An alert about a day or a month ends with that period. For a condition of the last sixty minutes, the hour only
 * limits how often it is reported: its alert stays open while the condition lasts.
 */
export function isPeriodOver(period: string, nowMs: number): boolean {
  const [id = ""] = period.split(":");
  switch (id.length) {
    case 7:
      return id !== monthPeriod(nowMs);
    case 10:
      return id !== dayPeriod(nowMs);
    default:
      return false;
  }
}

/** Whether it is about the last sixty minutes: while one such alert is open, the next hour reports nothing new. */
export function isOfLastHour(period: string): boolean {
  return hourOf(period) !== null;
}

/** When the hour of such a period began. */
export function hourOf(period: string): number | null {
  // The period of an idle agent is a full timestamp, which starts like an hour.
  const id = /^(\d{4}-\d\d-\d\dT\d\d)(:[^:]*)?$/.exec(period)?.[1];
  return id === undefined ? null : Date.parse(`${id}:00:00Z`);
}
