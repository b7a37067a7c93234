import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import { type DividedTable, dropPartitions, extendPartitions } from "../../database/partitions.ts";
import type { ControlDb } from "../../database/schema.ts";
import { lockPosition } from "../../following/stored-position.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";
import { addToRemoved } from "./remove-facts.ts";

/** By the time of calls, which queries and retention ask for. Only the read model's follower writes facts, each seq once. */
export const factPartitions: DividedTable = {
  name: "facts",
  column: "created_at",
  key: ["seq", "scope"],
  indexedBy: { column: "scope", table: "scopes" },
};

/** Each partition has this part of the time that calls are kept. */
const PARTS = 8;
/** How far partitions reach into the future: clocks differ, and nothing may be written beyond while a range is closed. */
const DAYS_AHEAD = 2;

/**
 * Makes the partitions of the next days. Resolves with false if a call from further in the future is in the way: then all that
 * is new stays in one partition, whose space is reused but not given back.
 */
export function extendFactPartitions(db: ControlDb, days: number, nowMs: number): Promise<boolean> {
  const today = startOfDay(nowMs);
  return extendPartitions(db, factPartitions, {
    until: today + DAYS_AHEAD * DAY_MS,
    width: Math.max(1, Math.floor(days / PARTS)) * DAY_MS,
  });
}

/** Drops the partitions of calls before a moment, and adds what they had to the sums of removed facts. Resolves with their number. */
export function dropFactPartitions(db: ControlDb, beforeMs: number): Promise<number> {
  return dropPartitions(db, factPartitions, beforeMs, async (transaction, partition) => {
    // The read model writes facts only under this lock.
    await lockPosition(transaction, "postgres", EVENTS_CURSOR);
    await addToRemoved(transaction, sql.table(partition));
    const { rows } = await sql<{
      facts: number;
    }>`SELECT count(*) AS facts FROM ${sql.table(partition)}`.execute(transaction);
    return Number(rows[0]?.facts);
  });
}
