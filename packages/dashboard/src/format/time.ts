import { DAY_MS } from "@tollgate/core/time/durations";
import { UNKNOWN } from "./unknown.ts";

/** In the viewer's zone. English everywhere, because the page is. */
const formats = {
  moment: new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }),
  minute: new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }),
  precise: new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }),
  clock: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }),
  seconds: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  offset: new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset" }),
  dated: new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }),
  day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }),
  date: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }),
  utcMonth: new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }),
  utcShortMonth: new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" }),
  utcDay: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
};

type Moment = string | number | null | undefined;

function format(which: keyof typeof formats, moment: Moment): string {
  return moment == null ? UNKNOWN : formats[which].format(new Date(moment));
}

/** From here on a day without its year could be taken for that of another year. */
const YEAR_NEEDED_MS = 180 * DAY_MS;

/** The short form, or far from now the one with the year. */
function formatNear(short: keyof typeof formats, far: keyof typeof formats, moment: Moment, now: number) {
  const isFar = moment != null && Math.abs(new Date(moment).getTime() - now) > YEAR_NEEDED_MS;
  return format(isFar ? far : short, moment);
}

/** "16 Nov 2026, 14:02:03" */
export const fullTime = (moment: Moment) => format("moment", moment);
/** "16 Nov, 14:02"; far from now "16 Nov 2024" */
export const minuteTime = (moment: Moment, now = Date.now()) => formatNear("minute", "date", moment, now);
/** "16 Nov, 14:02:03"; far from now "16 Nov 2024, 14:02" */
export const preciseTime = (moment: Moment, now = Date.now()) => formatNear("precise", "dated", moment, now);
/** "14:02" */
export const clockTime = (moment: Moment) => format("clock", moment);
/** "14:02:03" */
export const secondTime = (moment: Moment) => format("seconds", moment);
/** "16 Nov", of the viewer's day; far from now "16 Nov 2024" */
export const dayOf = (moment: Moment, now = Date.now()) => formatNear("day", "date", moment, now);
/** "16 Nov", of a UTC day such as 2026-11-16 */
export const utcDayOf = (moment: Moment) => format("utcDay", moment);
/** "November 2026", of a UTC month */
export const utcMonthOf = (moment: Moment) => format("utcMonth", moment);
/** "Nov", of a UTC month */
export const utcShortMonthOf = (moment: Moment) => format("utcShortMonth", moment);

/** "2026-11-16T14:02" in the viewer's zone: what an input of type `datetime-local` takes */
export function localMinute(moment: string | number): string {
  const at = new Date(moment);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** "Europe/Berlin (GMT+1)" */
export function zoneName(now: number = Date.now()): string {
  const { timeZone } = formats.moment.resolvedOptions();
  const parts = formats.offset.formatToParts(now);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return timeZone === "UTC" || offset === "" ? timeZone : `${timeZone} (${offset})`;
}

/** "< 1 ms", "850 ms", "2.4 s", "3 min 5 s" */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return UNKNOWN;
  if (ms < 0.5) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toLocaleString("en-US", { maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600)
    return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48) return `${hours} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** "just now", "5 min ago", "3 h ago", "2 days ago" */
export function timeAgo(moment: Moment, now: number = Date.now()): string {
  if (moment == null) return UNKNOWN;
  const minutes = Math.floor((now - new Date(moment).getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}
