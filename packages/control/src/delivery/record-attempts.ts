import type { ControlDatabase, Engine } from "@tollgate/storage/control/open-control-database";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { NextState } from "./after-attempt.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import { withoutSync } from "./without-sync.ts";

export interface Made {
  readonly delivery: Pick<Delivery, "id">;
  readonly attempt: Attempt;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** One try, and what it makes of its delivery. */
export interface Result extends Made {
  readonly delivery: Pick<Delivery, "id" | "channel" | "receiver">;
  readonly next: NextState;
}

/**
 * Many results in one transaction and two statements. A delivery that is not pending any more (cancelled meanwhile)
 * stays what it is; the attempt is kept all the same, for it was made. Resolves with how long each of the webhooks
 * that failed has been failing.
 */
export function recordAttempts(
  database: Pick<ControlDatabase, "db" | "engine">,
  results: readonly Result[],
): Promise<ReadonlyMap<string, number>> {
  return withoutSync(database, db =>
    db.transaction().execute(async transaction => {
      await writeAttempts(transaction, database.engine, results);
      await writeStates(transaction, database.engine, results);
      return writeHealth(transaction, results);
    }),
  );
}

async function writeStates(db: Kysely<ControlSchema>, engine: Engine, results: readonly Result[]) {
  const rows = rowsOf(
    engine,
    { id: "text", status: "text", tries: "bigint", next_attempt_at: "bigint", finished_at: "bigint" },
    results.map(({ delivery, next }) => ({
      id: delivery.id,
      status: next.status,
      tries: next.tries,
      next_attempt_at: next.nextAttemptAt,
      finished_at: next.finishedAt,
    })),
  );
  await sql`
    UPDATE deliveries SET status = r.status, tries = r.tries, next_attempt_at = r.next_attempt_at,
      finished_at = r.finished_at
    FROM ${rows} AS r WHERE deliveries.id = r.id AND deliveries.status = 'pending'`.execute(db);
}

/** Into the log of their deliveries; nothing else follows from them. */
export async function writeAttempts(
  db: Kysely<ControlSchema>,
  engine: Engine,
  results: readonly Made[],
): Promise<void> {
  const made = results.filter(({ attempt }) => attempt.outcome !== "withdrawn");
  if (made.length === 0) return;
  const rows = rowsOf(
    engine,
    {
      id: "text",
      started_at: "bigint",
      duration_ms: "bigint",
      http_status: "bigint",
      error: "text",
      answer: "text",
    },
    made.map(({ delivery, attempt, startedAt, durationMs }) => ({
      id: delivery.id,
      started_at: startedAt,
      duration_ms: durationMs,
      http_status: attempt.httpStatus,
      error: storable(attempt.error),
      answer: storable(attempt.answer),
    })),
  );
  await sql`
    INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, http_status, error, answer)
    SELECT r.id, coalesce((SELECT max(a.number) FROM delivery_attempts a WHERE a.delivery_id = r.id), 0) + 1,
      r.started_at, r.duration_ms, r.http_status, r.error, r.answer
    FROM ${rows} AS r WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.id = r.id)`.execute(db);
}

/** A webhook fails from its first failure after its last success on. */
async function writeHealth(
  db: Kysely<ControlSchema>,
  results: readonly Result[],
): Promise<ReadonlyMap<string, number>> {
  const failing = new Map<string, number>();
  for (const [id, health] of healthOf(results)) {
    if (health.hadSuccess) {
      await db
        .updateTable("webhooks")
        .set({ failing_since: null })
        .where("id", "=", id)
        .where("failing_since", "is not", null)
        .execute();
    }
    if (health.failingSince === null) continue;
    await db
      .updateTable("webhooks")
      .set({ failing_since: health.failingSince })
      .where("id", "=", id)
      .where("failing_since", "is", null)
      .execute();
    const row = await db
      .selectFrom("webhooks")
      .select("failing_since")
      .where("id", "=", id)
      .executeTakeFirst();
    if (row && row.failing_since !== null) failing.set(id, row.failing_since);
  }
  return failing;
}

interface Health {
  readonly hadSuccess: boolean;
  readonly failingSince: number | null;
}

function healthOf(results: readonly Result[]): ReadonlyMap<string, Health> {
  const found = new Map<string, Health>();
  for (const { delivery, attempt, startedAt } of results) {
    if (delivery.channel !== "webhook" || attempt.outcome === "withdrawn") continue;
    const before = found.get(delivery.receiver) ?? { hadSuccess: false, failingSince: null };
    found.set(
      delivery.receiver,
      attempt.outcome === "delivered"
        ? { hadSuccess: true, failingSince: null }
        : { ...before, failingSince: before.failingSince ?? startedAt },
    );
  }
  return found;
}

/** Rows as one JSON parameter: the statement is the same however many there are, and is prepared once. */
function rowsOf(
  engine: Engine,
  columns: Readonly<Record<string, "text" | "bigint">>,
  rows: readonly Readonly<Record<string, string | number | null>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const names = Object.entries(columns);
  // Names and types are those above, never a user's.
  if (engine === "postgres") {
    const typed = names.map(([name, type]) => `${name} ${type}`).join(", ");
    return sql`(SELECT * FROM json_to_recordset(CAST(CAST(${json} AS TEXT) AS JSON)) AS j(${sql.raw(typed)}))`;
  }
  const picked = names.map(([name]) => `value ->> '${name}' AS ${name}`).join(", ");
  return sql`(SELECT ${sql.raw(picked)} FROM json_each(${json}))`;
}

/** PostgreSQL holds neither NUL nor half a character. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll("\0", "\ufffd");
}
