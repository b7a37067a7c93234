import { z } from "zod";

const written = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * A date or time in a request (UTC unless it has an offset), parsed to epoch milliseconds.
 */
export const isoTimeInput = z
  .string()
  .refine(text => epochOf(text) !== null, "must be an ISO 8601 time, such as 2026-11-15T08:30:00Z")
  .transform(text => epochOf(text) ?? 0)
  .meta({ description: "ISO 8601, such as 2026-11-15T08:30:00Z; a time without an offset is UTC" });

function epochOf(text: string): number | null {
  if (!written.test(text)) return null;
  const hasZone = !text.includes("T") || /(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(at)) return null;
  // Date.parse reads 2026-02-31 as the 3rd of March; a day that does not exist is the caller's mistake.
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day ? at : null;
}

/** A time in a response. */
export const isoTime = z.string().meta({ format: "date-time", description: "ISO 8601, UTC" });

export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}
