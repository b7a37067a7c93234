import { describe, expect, it } from "bun:test";
import { join } from "node:path";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { nameOfDatabase } from "../engine/name-of-database.ts";
import { CONTROL_VERSION } from "./migrate-control.ts";
import { type ControlDatabase, openControlDatabase } from "./open-control-database.ts";

const databases = controlDatabases();

async function revision({ db }: ControlDatabase): Promise<number> {
  return (await db.selectFrom("config_revision").select("revision").executeTakeFirstOrThrow()).revision;
}

const organization = {
  id: "org",
  name: "First",
  tier: "pro",
  status: "active",
  burst_per_minute: null,
  monthly_calls: null,
  hash_salt: "salt",
  created_at: Date.parse("2026-11-15T12:00:00Z"),
};

describe.each(engines)("the control database on %s", engine => {
  it("is created once, and unchanged when opened again", async () => {
    const place = await databases.placeUnmigrated(engine);
    const first = await openControlDatabase(place);
    await first.db.insertInto("organizations").values(organization).execute();
    await first.close();
    const second = await openControlDatabase(place);
    expect(await second.db.selectFrom("organizations").selectAll().execute()).toEqual([
      { ...organization, optimization_model_v3: 0 },
    ]);
    await second.close();
  });

  it("is migrated once when opened several times concurrently", async () => {
    const place = await databases.placeUnmigrated(engine);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openControlDatabase(place)));
    for (const database of opened) expect(await revision(database)).toBe(1);
    await Promise.all(opened.map(database => database.close()));
  });

  it("is migrated once when several processes start concurrently", async () => {
    const place = await databases.placeUnmigrated(engine);
    const script = `import { openControlDatabase } from ${JSON.stringify(join(import.meta.dir, "open-control-database.ts"))};
      await (await openControlDatabase(${JSON.stringify(place)})).close();`;
    const started = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" }),
    );
    for (const one of started)
      expect({ code: await one.exited, text: await one.stderr.text() }).toEqual({ code: 0, text: "" });
    const database = await openControlDatabase(place);
    expect(await revision(database)).toBe(1);
    await database.close();
  });

  it("refuses a database written by a newer version", async () => {
    const place = await databases.placeUnmigrated(engine);
    const database = await openControlDatabase(place);
    await (engine === "sqlite"
      ? sql`PRAGMA user_version = 99`.execute(database.db)
      : sql`UPDATE schema_version SET version = 99`.execute(database.db));
    await database.close();
    const refused = await openControlDatabase(place).catch((fault: Error) => fault.message);
    const name = place.kind === "sqlite" ? place.path : nameOfDatabase(place.url);
    expect(refused).toBe(
      `${name}: the database is of version 99, this program knows ${CONTROL_VERSION}: it was written by a newer Tollgate`,
    );
  });

  it("increments the revision for every change that affects the gateway, and for no other", async () => {
    const database = await databases.open(engine);
    const { db } = database;
    const seen = [await revision(database)];
    const step = async (change: { execute(): Promise<unknown> }) => {
      await change.execute();
      seen.push(await revision(database));
    };
    await step(db.insertInto("organizations").values(organization));
    const budget = {
      id: "budget",
      org_id: "org",
      mode: "live",
      agent_id: null,
      agent_key: null,
      period: "daily",
      limit_microcents: 1,
      warning_pct: 80,
      enforcement_mode: "hard_block",
      strict: 0,
      status: "active",
      since: 1,
      created_at: 1,
      updated_at: 1,
    };
    await step(db.insertInto("budgets").values(budget));
    await step(db.updateTable("budgets").set({ status: "paused" }));
    const settings = {
      agent_id: "agent",
      org_id: "org",
      mode: "live",
      agent_key: "default",
      name: null,
      metadata: "{}",
      archived_at: null,
      paused_at: 1,
      updated_at: 1,
    };
    await step(db.insertInto("agent_settings").values(settings));
    await step(db.deleteFrom("budgets"));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    await step(
      db.insertInto("alert_preferences").values({ org_id: "org", preferences: "{}", updated_at: 1 }),
    );
    expect(seen.at(-1)).toBe(6);
  });

  it("returns integers up to 2^53 as numbers, and the count of changed rows", async () => {
    const { db } = await databases.open(engine);
    const largest = Number.MAX_SAFE_INTEGER;
    await db
      .insertInto("cursors")
      .values([{ reader: "a", node: "local", position: largest, event_id: null }])
      .execute();
    expect(await db.selectFrom("cursors").selectAll().execute()).toEqual([
      { reader: "a", node: "local", position: largest, event_id: null },
    ]);
    const { numUpdatedRows } = await db.updateTable("cursors").set({ position: 5 }).executeTakeFirst();
    expect(numUpdatedRows).toBe(1n);
    const { count } = await db
      .selectFrom("cursors")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("position", "=", 5)
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  it("never runs a statement inside another request's transaction", async () => {
    const { db } = await databases.open(engine);
    const failed = db
      .transaction()
      .execute(async transaction => {
        await transaction
          .insertInto("cursors")
          .values({ reader: "mine", node: "local", position: 1 })
          .execute();
        await Promise.resolve();
        throw new Error("no");
      })
      .catch((fault: Error) => fault.message);
    const others = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        db
          .insertInto("cursors")
          .values({ reader: `other ${index}`, node: "local", position: index })
          .execute(),
      ),
    );
    expect(await failed).toBe("no");
    await others;
    const names = await db.selectFrom("cursors").select("reader").orderBy("position").execute();
    expect(names).toEqual(Array.from({ length: 20 }, (_, index) => ({ reader: `other ${index}` })));
  });

  it("rolls back the whole transaction when one statement fails", async () => {
    const { db } = await databases.open(engine);
    await db.insertInto("cursors").values({ reader: "a", node: "local", position: 1 }).execute();
    const twice = db.transaction().execute(async transaction => {
      await transaction.insertInto("cursors").values({ reader: "b", node: "local", position: 1 }).execute();
      await transaction.insertInto("cursors").values({ reader: "a", node: "local", position: 1 }).execute();
    });
    expect(await twice.then(() => "done").catch(() => "failed")).toBe("failed");
    expect(await db.selectFrom("cursors").select("reader").execute()).toEqual([{ reader: "a" }]);
  });
});
