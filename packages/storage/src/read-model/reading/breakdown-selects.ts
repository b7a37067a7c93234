/**
 * The selects that a breakdown adds up. Rollups serve what they have the dimensions for, and facts everything else.
 */
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import type { Interval } from "../breakdown.ts";
import type { Window } from "../window.ts";
import { facts, noSums, type Piece, type Reader, type Sql, type Unit } from "./breakdown-sources.ts";
import { extendWindow, splitWeeks, splitWindow } from "./split-window.ts";

/** A window to sum. */
export interface Period {
  readonly window: Window;
  readonly isPrevious: 0 | 1;
  readonly nowMs: number;
}

/** The selects whose rows together are the calls of a period. */
export interface Selects {
  /** Of sums by the hour or day that is asked for. */
  readonly units: readonly Sql[];
  /** Of the rest: parts of hours or days at the window's edges, or everything that has no sums. */
  readonly edges: readonly Sql[];
}

/** By week: as few rows as possible, if it does not matter which day they are of. */
export function selects(
  reader: Reader,
  { window, isPrevious, nowMs }: Period,
  by: Interval | "week",
): Selects {
  const unitMs = by === "hour" ? HOUR_MS : DAY_MS;
  const pieceOf = (unit: Unit | null, sign: 1 | -1, { from, to }: Window): Piece => ({
    ...reader,
    from,
    to,
    unit,
    sign,
    bucketMs: unitMs,
    isPrevious,
  });
  const { source } = reader;
  if (source === noSums) {
    return { units: [], edges: window.from < window.to ? [facts(pieceOf(null, 1, window))] : [] };
  }
  const sumsOf = (unit: Unit, windows: readonly Window[], sign: 1 | -1 = 1) =>
    windows.map(one => source.select(pieceOf(unit, sign, one)));
  const factsOf = (windows: readonly Window[], sign: 1 | -1 = 1) =>
    windows.map(one => facts(pieceOf(null, sign, one)));
  const { whole, excess } = extendWindow(window, unitMs, nowMs);
  const { days, hours, moments } = splitWindow(whole);
  // Less than a unit, so it has no whole days.
  const surplus = excess === null ? { hours: [], moments: [] } : splitWindow(excess);
  const edges = [...factsOf(moments), ...sumsOf("hour", surplus.hours, -1), ...factsOf(surplus.moments, -1)];
  if (by === "hour") return { units: sumsOf("hour", [...days, ...hours]), edges };
  const units =
    by === "week" && source.hasWeeks
      ? days.flatMap(one => {
          const { weeks, days: around, excessDays } = splitWeeks(one, nowMs);
          return [...sumsOf("week", weeks), ...sumsOf("day", around), ...sumsOf("day", excessDays, -1)];
        })
      : sumsOf("day", days);
  return { units, edges: [...sumsOf("hour", hours), ...edges] };
}

/** An empty window has no parts, but a statement needs one. */
export function unionOf(parts: readonly Sql[], reader: Reader): Sql {
  if (parts.length > 0) return sql.join(parts, sql` UNION ALL `);
  return facts({ ...reader, from: 0, to: 0, unit: null, sign: 1, bucketMs: DAY_MS, isPrevious: 0 });
}
