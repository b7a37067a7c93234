import { describe, expect, it } from "bun:test";
import { SQL } from "bun";
import { Kysely, sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../test/support/labs/event-recorder.ts";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { isLockFault } from "../engine/lock-fault.ts";
import { migrationTools } from "./control-migration.ts";
import { controlMigrations } from "./migrations.ts";
import { type ControlDatabase, openControlDatabase } from "./open-control-database.ts";
import {
  type DividedTable,
  dropPartitions,
  endClosing,
  extendPartitions,
  readPartitions,
} from "./partitions.ts";
import type { ControlDb, ControlSchema } from "./schema.ts";
import { writeVersion } from "./schema-version.ts";
import { upsertRows } from "./upsert-rows.ts";

const databases = controlDatabases();

/** The last one without partitions. */
const VERSION_BEFORE = 42;

const table: DividedTable = { name: "shared_events", column: "position", key: ["org_id", "id"] };

async function insert(db: ControlDb, from: number, to: number): Promise<void> {
  await sql`INSERT INTO shared_events (org_id, id, position, node_id, node_seq, created_at, event)
    SELECT 'org', 'event ' || i, i, 'node', i, i, repeat('x', 500) FROM generate_series(${sql.lit(from)}, ${sql.lit(to)}) AS i`.execute(
    db,
  );
}

const eventColumns = ["org_id", "id", "position", "node_id", "node_seq", "created_at", "event"];
const factColumns = [
  ...["seq", "scope", "created_at", "agent", "model", "status"],
  ...["latency_ms", "input_tokens", "output_tokens", "cost_microcents"],
];

const rowsIn = async (db: ControlDb, partition: string) => {
  const { rows } = await sql<{
    position: number;
  }>`SELECT position FROM ${sql.table(partition)} ORDER BY 1`.execute(db);
  return rows.map(({ position }) => position);
};

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function describePartitions(db: ControlDb): Promise<Record<string, string | boolean>> {
  const { ranges, rest, closing } = await readPartitions(db, table);
  const described: Record<string, string> = {};
  for (const { name, from, to } of ranges) {
    const rows = await rowsIn(db, name);
    described[`${from ?? "start"} to ${to}`] = rows.length === 0 ? "empty" : `${rows[0]} to ${rows.at(-1)}`;
  }
  const others = await rowsIn(db, rest);
  return {
    ...described,
    rest: others.length === 0 ? "empty" : `${others[0]} to ${others.at(-1)}`,
    isClosing: closing !== null,
  };
}

describe("the partitions of a table", () => {
  it("begin with all rows of an installation from before them, in the same files", async () => {
    const place = await databases.placeUnmigrated("postgres");
    if (place.kind !== "postgres") throw new Error("not PostgreSQL");
    const older = new Kysely<ControlSchema>({
      dialect: new BunPostgresDialect(new SQL(place.url, { bigint: true, max: 1 })),
    });
    const tools = migrationTools(older, "postgres");
    for (const up of Object.values(controlMigrations).slice(0, VERSION_BEFORE)) await up(tools);
    await writeVersion(older, "postgres", VERSION_BEFORE, VERSION_BEFORE);
    await insert(older, 1, 500);
    await sql`INSERT INTO facts (seq, scope, created_at, agent, model, status, latency_ms, input_tokens, output_tokens, cost_microcents)
      SELECT i, i % 3, i * 1000, i % 5, i % 7, 0, i, i, i, i FROM generate_series(1, 500) AS i`.execute(
      older,
    );
    const append = async (db: ControlDb, seq: number) => {
      const fact = [seq, 1, seq * 1000, 1, 1, 0, 1, 1, 1, 1];
      await upsertRows(db, "postgres", { table: "facts", columns: factColumns, key: [], add: [] }, [fact]);
      const event = ["org", `event ${seq}`, seq, "node", seq, seq, "{}"];
      await upsertRows(db, "postgres", { table: "shared_events", columns: eventColumns, key: [], add: [] }, [
        event,
      ]);
    };
    for (const seq of [501, 502, 503]) await append(older, seq);
    for (const name of ["facts WHERE seq", "shared_events WHERE position"])
      await sql.raw(`DELETE FROM ${name} > 500`).execute(older);
    const files = async (db: ControlDb, names: readonly string[]) => {
      const { rows } = await sql<{ file: number }>`
        SELECT pg_relation_filenode(to_regclass(name)) AS file FROM unnest(${sql.val(`{${names.join()}}`)}::TEXT[]) AS name`.execute(
        db,
      );
      return rows.map(({ file }) => file);
    };
    const rows = async (db: ControlDb) =>
      [
        await sql`SELECT * FROM facts ORDER BY seq`.execute(db),
        await sql`SELECT * FROM shared_events ORDER BY position`.execute(db),
      ].map(result => result.rows);
    const before = {
      rows: await rows(older),
      files: await files(older, ["facts", "facts_by_session", "shared_events", "shared_events_by_node"]),
    };
    const database = await openControlDatabase(place);
    expect(
      await files(database.db, [
        "facts_rest",
        "facts_rest_by_session",
        "shared_events_rest",
        "shared_events_rest_by_node",
      ]),
    ).toEqual(before.files);
    expect(await rows(database.db)).toEqual(before.rows);
    // A connected program of the previous version goes on, with the statements that it has prepared.
    for (const seq of [501, 502, 503]) await append(older, seq);
    await extendPartitions(database.db, table, { until: 600, width: 100 });
    await append(older, 504);
    expect(await rowsIn(database.db, "shared_events")).toEqual(numbers(1, 504));
    expect((await rows(database.db))[0]).toHaveLength(504);
    await older.destroy();
    await database.close();
  });

  it("take over all rows of an undivided table without copying them, and then get only new rows", async () => {
    const { db } = await databases.open("postgres");
    await insert(db, 1, 30);
    expect(await describePartitions(db)).toEqual({ rest: "1 to 30", isClosing: false });
    const file = async (name: string) =>
      (await sql`SELECT pg_relation_filenode(${name}::regclass) AS file`.execute(db)).rows;
    const before = await file("shared_events_rest");
    expect(await extendPartitions(db, table, { until: 40, width: 20 })).toBe(true);
    expect(await file("shared_events_before_40")).toEqual(before);
    await insert(db, 31, 45);
    expect(await extendPartitions(db, table, { until: 40, width: 20 })).toBe(true);
    expect(await describePartitions(db)).toEqual({
      "start to 40": "1 to 39",
      rest: "40 to 45",
      isClosing: false,
    });
    await insert(db, 46, 50);
    expect(await extendPartitions(db, table, { until: 55, width: 20 })).toBe(true);
    expect(await extendPartitions(db, table, { until: 70, width: 20 })).toBe(true);
    await insert(db, 51, 70);
    expect(await describePartitions(db)).toEqual({
      "start to 40": "1 to 39",
      "40 to 60": "40 to 59",
      "60 to 80": "60 to 70",
      rest: "empty",
      isClosing: false,
    });
    expect(await rowsIn(db, "shared_events")).toEqual(numbers(1, 70));
  });

  it("keep ids unique, have every index of the table, and are dropped with theirs", async () => {
    const { db } = await databases.open("postgres");
    await extendPartitions(db, table, { until: 10, width: 10 });
    await extendPartitions(db, table, { until: 20, width: 10 });
    const indexes = async () => {
      const { rows } = await sql<{ name: string; columns: string }>`
        SELECT tablename AS name, string_agg(substring(indexdef FROM '\\(.*'), ' ' ORDER BY indexdef) AS columns
        FROM pg_indexes WHERE tablename LIKE 'shared\\_events\\_%' GROUP BY 1 ORDER BY 1`.execute(db);
      return rows.map(({ name, columns }) => [
        name,
        [...columns.matchAll(/\((.*?)\)/g)].map(([, one]) => one).sort(),
      ]);
    };
    const all = ['"position"', "node_id, node_seq", "org_id, id"];
    expect(await indexes()).toEqual([
      ["shared_events_before_10", all],
      ["shared_events_before_20", all],
      ["shared_events_rest", all],
    ]);
    await insert(db, 5, 5);
    expect(insert(db, 5, 5)).rejects.toThrow("duplicate key");
    await dropPartitions(db, table, 19);
    expect((await indexes()).map(([name]) => name)).toEqual([
      "shared_events_before_20",
      "shared_events_rest",
    ]);
  });

  it("REL-022 give their space back when they are dropped", async () => {
    const { db } = await databases.open("postgres");
    const bytes = async () => {
      const { rows } = await sql<{ bytes: number }>`
        SELECT CAST(sum(pg_total_relation_size(relid)) AS BIGINT) AS bytes FROM pg_partition_tree('shared_events')`.execute(
        db,
      );
      return Number(rows[0]?.bytes);
    };
    const empty = await bytes();
    await insert(db, 1, 3000);
    await extendPartitions(db, table, { until: 3001, width: 1000 });
    await extendPartitions(db, table, { until: 4001, width: 1000 });
    await insert(db, 3001, 3100);
    const full = await bytes();
    // As retention does before.
    await sql`DELETE FROM shared_events WHERE position < 3001`.execute(db);
    await sql`VACUUM shared_events`.execute(db);
    const kept: string[] = [];
    await dropPartitions(db, table, 3001, async (_, partition) => {
      return kept.push(partition);
    });
    expect(kept).toEqual(["shared_events_before_3001"]);
    expect(await rowsIn(db, "shared_events")).toEqual(numbers(3001, 3100));
    expect(full).toBeGreaterThan(empty + 2_000_000);
    expect(await bytes()).toBeLessThan(empty + 300_000);
  });

  it("REL-005 a crash between any two statements loses no row and refuses none that is new", async () => {
    let attempts = 0;
    for (let isComplete = false; !isComplete; ) {
      const first = ++attempts;
      const database = await openControlDatabase(await databases.place("postgres"));
      const { db } = database;
      await insert(db, 1, 9);
      const dying = beforeStatements(database, statement => {
        if (statement >= first) throw new Error("killed");
      });
      const both = async () => {
        await extendPartitions(dying.db, table, { until: 20, width: 10 });
        await extendPartitions(dying.db, table, { until: 30, width: 10 });
        await dropPartitions(dying.db, table, 20);
      };
      isComplete = await both().then(
        () => true,
        () => false,
      );
      const isDropped = (await rowsIn(db, "shared_events")).length === 0;
      // Shipping goes on, and the control plane that is next begins with this.
      if (!isDropped) await insert(db, 10, 19);
      await endClosing(db, table);
      await insert(db, 20, 100);
      expect(await rowsIn(db, "shared_events")).toEqual(numbers(isDropped ? 20 : 1, 100));
      for (const until of [101, 111]) await extendPartitions(db, table, { until, width: 10 });
      expect(await describePartitions(db)).toMatchObject({ rest: "empty", isClosing: false });
      await database.close();
    }
    expect(attempts).toBeGreaterThan(15);
  });

  it("are changed by one process at a time: two at once leave them complete", async () => {
    const place = await databases.place("postgres");
    const opened = await Promise.all(Array.from({ length: 3 }, () => openControlDatabase(place)));
    const [first] = opened;
    if (first === undefined) throw new Error("none is open");
    await insert(first.db, 1, 500);
    for (const until of [600, 700, 800]) {
      const extend = ({ db }: ControlDatabase) => extendPartitions(db, table, { until, width: 100 });
      // One may find what it began undone by another: the next pass goes on.
      await Promise.allSettled(opened.map(extend));
      await extend(first);
    }
    expect(await describePartitions(first.db)).toEqual({
      "start to 600": "1 to 500",
      "600 to 700": "empty",
      "700 to 800": "empty",
      rest: "empty",
      isClosing: false,
    });
    await Promise.allSettled(opened.map(({ db }) => dropPartitions(db, table, 700)));
    expect(await describePartitions(first.db)).toEqual({
      "700 to 800": "empty",
      rest: "empty",
      isClosing: false,
    });
    await Promise.all(opened.map(database => database.close()));
  });

  it("are left as they are while a long query uses them, and nobody waits for them", async () => {
    const { db } = await databases.open("postgres");
    await insert(db, 1, 9);
    await extendPartitions(db, table, { until: 10, width: 10 });
    await db.transaction().execute(async transaction => {
      await rowsIn(transaction, "shared_events");
      const dropping = dropPartitions(db, table, 10).then(
        () => "dropped",
        (fault: unknown) => isLockFault(fault),
      );
      for (let read = 0; read < 20; read++) expect(await rowsIn(db, "shared_events")).toEqual(numbers(1, 9));
      expect(await dropping).toBe(true);
    });
    await dropPartitions(db, table, 10);
    expect(await rowsIn(db, "shared_events")).toEqual([]);
  });

  it("stay as they are while the rows of the default one straddle the boundary", async () => {
    const { db } = await databases.open("postgres");
    await insert(db, 1, 9);
    await insert(db, 1000, 1000);
    expect(await extendPartitions(db, table, { until: 20, width: 10 })).toBe(false);
    expect(await describePartitions(db)).toEqual({ rest: "1 to 1000", isClosing: false });
    await sql`DELETE FROM shared_events WHERE position < 10`.execute(db);
    expect(await extendPartitions(db, table, { until: 20, width: 10 })).toBe(true);
    expect(await describePartitions(db)).toEqual({
      "start to 20": "empty",
      rest: "1000 to 1000",
      isClosing: false,
    });
  });
});
