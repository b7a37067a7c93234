import { sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";

export type SharedDatabase = Pick<ControlDatabase, "db" | "engine">;

/**
 * PostgreSQL's clock, for times that several machines compare: their own clocks may be minutes or hours apart. The moment of
 * the statement, not of its transaction.
 */
export const postgresNowMs = sql<number>`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;

/** The clock of all machines that share a database. Only one uses a file, and goes by its own. */
export async function readSharedClock({ db, engine }: SharedDatabase): Promise<number> {
  return engine === "sqlite" ? Date.now() : await readPostgresClock(db);
}

async function readPostgresClock(db: ControlDb): Promise<number> {
  const { rows } = await sql<{ ms: number }>`SELECT ${postgresNowMs} AS ms`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL does not say what time it is");
  return row.ms;
}

/**
 * The earlier of this machine's clock and PostgreSQL's, for what must not be done too early: a machine whose clock is far ahead
 * also writes events with future times, so these do not show that its clock is wrong.
 */
export async function earlierClock({ db, engine }: SharedDatabase, nowMs: number): Promise<number> {
  return engine === "sqlite" ? nowMs : Math.min(nowMs, await readPostgresClock(db));
}
