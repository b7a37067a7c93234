import { DAY_MS } from "@tollgate/core/time/durations";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { withoutSync } from "@tollgate/storage/database/without-sync";
import { type RawBuilder, sql } from "kysely";
import type { Attempt } from "../../kernel/transport.ts";
import type { NextState } from "./after-attempt.ts";
import type { Delivery } from "./delivery.ts";

interface Tried {
  readonly delivery: Pick<Delivery, "id">;
  readonly attempt: Attempt;
  readonly startedAt: number;
  readonly durationMs: number;
}

/** One attempt, and the delivery's state after it. */
export interface Result extends Tried {
  readonly delivery: Pick<Delivery, "id" | "channel" | "receiver">;
  readonly next: NextState;
}

export interface Failing {
  readonly since: number;
  /** When the last of the attempts began. */
  readonly lastTriedAt: number;
}

/** Failures farther apart are not a streak: attempts in between might have succeeded. */
const FAILURES_APART_MS = 2 * DAY_MS;

/**
 * Records many results in one transaction with few statements. A delivery cancelled in the meantime keeps its status,
 * but its attempt is recorded, because it was made. Resolves with the current failure streaks of webhooks.
 */
export function recordAttempts(
  database: Pick<ControlDatabase, "db" | "engine">,
  results: readonly Result[],
): Promise<ReadonlyMap<string, Failing>> {
  return withoutSync(database, db =>
    db.transaction().execute(async transaction => {
      await writeAttempts(transaction, database.engine, results);
      await writeStates(transaction, database.engine, results);
      return writeHealth(transaction, results);
    }),
  );
}

async function writeStates(db: ControlDb, engine: Engine, results: readonly Result[]) {
  const rows = rowsOf(
    engine,
    {
      id: "text",
      status: "text",
      tries: "bigint",
      next_attempt_at: "bigint",
      first_tried_at: "bigint",
      finished_at: "bigint",
    },
    results.map(({ delivery, next }) => ({
      id: delivery.id,
      status: next.status,
      tries: next.tries,
      next_attempt_at: next.nextAttemptAt,
      first_tried_at: next.firstTriedAt,
      finished_at: next.finishedAt,
    })),
  );
  await sql`
    UPDATE deliveries SET status = r.status, tries = r.tries, next_attempt_at = r.next_attempt_at,
      first_tried_at = r.first_tried_at, finished_at = r.finished_at
    FROM ${rows} AS r WHERE deliveries.id = r.id AND deliveries.status = 'pending'`.execute(db);
}

/** Adds attempts to their deliveries' log, with no other effect. */
export async function writeAttempts(db: ControlDb, engine: Engine, results: readonly Tried[]): Promise<void> {
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

/**
 * A failure streak starts at the first failure after the last success, or after two days without an attempt. Attempts
 * from before a change of the registration do not count.
 */
async function writeHealth(db: ControlDb, results: readonly Result[]): Promise<ReadonlyMap<string, Failing>> {
  const failing = new Map<string, Failing>();
  for (const [id, health] of healthOf(results)) {
    if (health.hadSuccess) {
      await db
        .updateTable("webhooks")
        .set({ failing_since: null })
        .where("id", "=", id)
        .where("failing_since", "is not", null)
        .execute();
    }
    const { firstFailedAt, lastFailedAt } = health;
    if (firstFailedAt === null || lastFailedAt === null) continue;
    const row = await db
      .updateTable("webhooks")
      .set(({ eb, ref }) => ({
        failing_since: eb
          .case()
          .when("last_failed_at", ">=", firstFailedAt - FAILURES_APART_MS)
          .then(eb.fn.coalesce(ref("failing_since"), eb.val(firstFailedAt)))
          .else(firstFailedAt)
          .end(),
        last_failed_at: lastFailedAt,
      }))
      .where("id", "=", id)
      .where("updated_at", "<=", lastFailedAt)
      .returning("failing_since")
      .executeTakeFirst();
    if (row && row.failing_since !== null) {
      failing.set(id, { since: row.failing_since, lastTriedAt: lastFailedAt });
    }
  }
  return failing;
}

interface Health {
  readonly hadSuccess: boolean;
  /** The first failure after the last success. */
  readonly firstFailedAt: number | null;
  readonly lastFailedAt: number | null;
}

const nothingKnown: Health = { hadSuccess: false, firstFailedAt: null, lastFailedAt: null };

function healthOf(results: readonly Result[]): ReadonlyMap<string, Health> {
  const found = new Map<string, Health>();
  for (const { delivery, attempt, startedAt } of results) {
    if (delivery.channel !== "webhook" || attempt.outcome === "withdrawn") continue;
    const before = found.get(delivery.receiver) ?? nothingKnown;
    found.set(
      delivery.receiver,
      attempt.outcome === "delivered"
        ? { ...nothingKnown, hadSuccess: true }
        : { ...before, firstFailedAt: before.firstFailedAt ?? startedAt, lastFailedAt: startedAt },
    );
  }
  return found;
}

/** Passes rows as one JSON parameter: the statement is the same for any number of rows and is prepared once. */
function rowsOf(
  engine: Engine,
  columns: Readonly<Record<string, "text" | "bigint">>,
  rows: readonly Readonly<Record<string, string | number | null>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const names = Object.entries(columns);
  // Names and types are the constants above, never user input.
  if (engine === "postgres") {
    const typed = names.map(([name, type]) => `${name} ${type}`).join(", ");
    return sql`(SELECT * FROM json_to_recordset(CAST(CAST(${json} AS TEXT) AS JSON)) AS j(${sql.raw(typed)}))`;
  }
  const picked = names.map(([name]) => `value ->> '${name}' AS ${name}`).join(", ");
  return sql`(SELECT ${sql.raw(picked)} FROM json_each(${json}))`;
}

/** PostgreSQL accepts neither NUL nor lone surrogates. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll("\0", "\ufffd");
}
