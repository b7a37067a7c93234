import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import { readHistory } from "../../database/history.ts";
import type { ControlDb } from "../../database/schema.ts";
import { movePosition, readPosition } from "../../following/stored-position.ts";
import { firstAt } from "../first-at.ts";
import { namesOf } from "../names-of.ts";
import { totalColumns, versionColumns } from "../rollup-sums.ts";
import { totalsOfFacts, totalsOfSums } from "../sum-of.ts";

/**
 * Exists only while an upgraded installation still lacks sums of agents' versions, or the calls in sessions among them, or
 * sums of weeks. Its position is a time. Named after the last migration that added such sums, because control planes of older
 * versions remove the cursor of their own name when they have filled the sums that they know.
 */
const REFILL_CURSOR = "read-model:refill-0048";
const OLDER_REFILL_CURSOR = "read-model:refill";

/** Not read until they are filled. */
export const refilledTables: readonly string[] = ["agent_version_days", "customer_weeks"];

export async function isRefillDue(db: ControlDb): Promise<boolean> {
  return (await readPosition(db, REFILL_CURSOR)) !== null;
}

/** Adds the sums of the next day. Resolves with whether there are more. */
export async function refillSums(db: ControlDb): Promise<boolean> {
  const position = await readPosition(db, REFILL_CURSOR);
  if (position === null) return false;
  // Of older days, only calls that were reported late are known.
  const { beginsAtMs } = await readHistory(db);
  const day = await nextDay(db, Math.max(position.seq, beginsAtMs));
  if (day === null) {
    await sumCustomerWeeks(db, 0);
    await db.deleteFrom("cursors").where("reader", "in", [REFILL_CURSOR, OLDER_REFILL_CURSOR]).execute();
    return false;
  }
  await sumVersions(db, day);
  await movePosition(db, REFILL_CURSOR, { seq: day + DAY_MS, eventId: null });
  return true;
}

/** The first day with calls; null: there are none. */
async function nextDay(db: ControlDb, fromMs: number): Promise<number | null> {
  const atMs = await firstAt(db, "facts", "created_at", fromMs);
  return atMs === null ? null : startOfDay(atMs);
}

/** Replaces what has been counted for the day since the upgrade: those calls are among its facts, too. */
async function sumVersions(db: ControlDb, day: number): Promise<void> {
  const replaced = versionColumns.map(name => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  await sql`
    INSERT INTO agent_version_days (scope, agent, day, config_version, ${namesOf(versionColumns)})
    SELECT scope, agent, ${sql.lit(day)}, coalesce(config_version, 0), ${sql.join(totalsOfFacts)},
      count(session)
    FROM facts
    WHERE scope IN (SELECT id FROM scopes) AND created_at >= ${day} AND created_at < ${day + DAY_MS}
    GROUP BY 1, 2, 4
    ON CONFLICT (scope, agent, day, config_version) DO UPDATE SET ${sql.join(replaced)}`.execute(db);
}

/** From the week of a moment on. */
export async function sumCustomerWeeks(db: ControlDb, sinceMs: number): Promise<void> {
  const from = sinceMs - (sinceMs % WEEK_MS);
  await db.deleteFrom("customer_weeks").where("week", ">=", from).execute();
  await sql`
    INSERT INTO customer_weeks (scope, customer, week, ${namesOf(totalColumns)})
    SELECT scope, customer, day - day % ${sql.lit(WEEK_MS)}, ${sql.join(totalsOfSums)}
    FROM customer_days WHERE day >= ${from} GROUP BY 1, 2, 3`.execute(db);
}
