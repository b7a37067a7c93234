import { tables } from "@tollgate/storage/database/schema";
import { sql } from "kysely";
import type { ControlLab } from "../labs/control-lab.ts";

/** Written by followers and watchers in the background, independent of requests. */
const ofBackground = [
  "cursors",
  "predictions",
  "alerts",
  "alert_revision",
  "deliveries",
  "delivery_attempts",
  "optimization_effects",
  "profile_days",
  "profile_sessions",
  "profile_weeks",
  "proposals",
  "switch_watches",
  "switch_watch_sessions",
];

/** Every row of every table that only a request could change, as text. */
export async function storedRows({ db }: ControlLab): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of Object.keys(tables)) {
    if (ofBackground.includes(table)) continue;
    const { rows } = await sql`SELECT * FROM ${sql.table(table)}`.execute(db);
    found[table] = JSON.stringify(rows.map(row => JSON.stringify(row)).sort());
  }
  return found;
}
