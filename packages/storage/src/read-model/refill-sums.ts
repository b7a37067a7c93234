import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { readHistory } from "../database/history.ts";
import type { ControlDb } from "../database/schema.ts";
import { readPosition } from "../following/stored-position.ts";
import { totalColumns } from "./rollup-sums.ts";
import { totalsOfFacts, totalsOfSums } from "./sum-of.ts";

/** Exists only until a control plane of this version writes: an older one may have gone on without the newer sums. */
const REFILL_CURSOR = "read-model:refill";

/** Sums again what an older control plane has not written since the upgrade. */
export async function refillSums(db: ControlDb): Promise<void> {
  if (!(await isRefillDue(db))) return;
  await sumVersionDays(db);
  await sumCustomerWeeks(db, 0);
  await db.deleteFrom("cursors").where("reader", "=", REFILL_CURSOR).execute();
}

export async function isRefillDue(db: ControlDb): Promise<boolean> {
  return (await readPosition(db, REFILL_CURSOR)) !== null;
}

const totals = sql.join(totalColumns.map(name => sql.ref(name)));

/** Of the time that has facts. */
async function sumVersionDays(db: ControlDb): Promise<void> {
  const { beginsAtMs } = await readHistory(db);
  await db.deleteFrom("agent_version_days").where("day", ">=", beginsAtMs).execute();
  await sql`
    INSERT INTO agent_version_days (scope, agent, day, config_version, ${totals})
    SELECT scope, agent, created_at - created_at % ${sql.lit(DAY_MS)}, coalesce(config_version, 0),
      ${sql.join(totalsOfFacts)}
    FROM facts WHERE created_at >= ${beginsAtMs} GROUP BY 1, 2, 3, 4`.execute(db);
}

/** From the week of a moment on. */
export async function sumCustomerWeeks(db: ControlDb, sinceMs: number): Promise<void> {
  const from = sinceMs - (sinceMs % WEEK_MS);
  await db.deleteFrom("customer_weeks").where("week", ">=", from).execute();
  await sql`
    INSERT INTO customer_weeks (scope, customer, week, ${totals})
    SELECT scope, customer, day - day % ${sql.lit(WEEK_MS)}, ${sql.join(totalsOfSums)}
    FROM customer_days WHERE day >= ${from} GROUP BY 1, 2, 3`.execute(db);
}
