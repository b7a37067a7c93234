import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../test/support/labs/event-recorder.ts";
import type { ControlDatabase, Engine } from "../database/open-control-database.ts";
import { extendPartitions } from "../database/partitions.ts";
import { UnfinishedMigration } from "../database/unfinished-migration.ts";
import { factPartitions } from "../read-model/deriving/fact-partitions.ts";
import { copiedTables } from "./copied-tables.ts";
import { copyTables } from "./copy-tables.ts";
import { differingTables, digestTables } from "./digest-tables.ts";

const databases = controlDatabases();
const otherEngine = { sqlite: "postgres", postgres: "sqlite" } as const;

async function fill({ db, engine }: ControlDatabase): Promise<void> {
  await db
    .insertInto("organizations")
    .values(
      ["one", 'two "quoted" \\ ü', ...Array.from({ length: 50 }, (_, index) => `n${index}`)].map(name => ({
        id: name.slice(0, 3),
        name,
        tier: "pro",
        status: "active",
        hash_salt: "salt",
        created_at: 1_763_000_000_123,
      })),
    )
    .execute();
  // More than one page, with a key of several columns.
  const numbers =
    engine === "sqlite"
      ? sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500) SELECT i FROM n`
      : sql`SELECT generate_series(1, 4500) AS i`;
  await sql`INSERT INTO external_ids (scope, external_id, seq)
    SELECT i % 3, 'Id ' || i, 9007199254740991 - i FROM (${numbers}) AS numbers`.execute(db);
  // In several partitions, whose order is not that of the key.
  if (engine === "postgres") {
    for (const until of [2000, 4000]) await extendPartitions(db, factPartitions, { until, width: 2000 });
  }
  await sql`INSERT INTO facts (seq, scope, created_at, agent, model, status, latency_ms, input_tokens, output_tokens, cost_microcents)
    SELECT i, 1, i * 7919 % 6000, 1, 7, 0, i, i, i, i FROM (${numbers}) AS numbers`.execute(db);
  await db
    .insertInto("models")
    .values([
      { id: 7, provider: "openai", model: "gpt" },
      { id: 12, provider: "xai", model: "grok" },
    ])
    .execute();
  await db
    .insertInto("cursors")
    .values([
      { reader: "read-model:events", node: "local", position: 3, event_id: null },
      { reader: "shipping:here", node: "local", position: 3, event_id: "x" },
    ])
    .execute();
  await db.updateTable("config_revision").set({ revision: 4711 }).execute();
}

async function lab(from: Engine) {
  const source = await databases.open(from);
  const target = await databases.open(otherEngine[from]);
  await fill(source);
  await new UnfinishedMigration(target.db, target.engine).begin("a source");
  const tables = await copiedTables((from === "sqlite" ? source : target).db);
  return { source, target, tables };
}

describe.each([...engines])("copying from %s to the other engine", from => {
  it("every value of every table arrives, and new ids continue after the copied ones", async () => {
    const { source, target, tables } = await lab(from);
    await copyTables(source.db, target, tables);
    const digests = await digestTables(source.db, tables);
    expect(differingTables(digests, await digestTables(target.db, tables))).toEqual([]);
    const rows = Object.fromEntries(digests.map(({ table, rows }) => [table, rows]));
    expect(rows).toMatchObject({
      organizations: 52,
      external_ids: 4500,
      facts: 4500,
      cursors: 1,
      config_revision: 1,
    });
    expect(await target.db.selectFrom("config_revision").select("revision").execute()).toEqual([
      { revision: 4711 },
    ]);
    await target.db.insertInto("models").values({ provider: "google", model: "gemini" }).execute();
    const ids = await target.db.selectFrom("models").select("id").orderBy("id").execute();
    expect(ids.map(({ id }) => id)).toEqual([7, 12, 13]);
  });

  it("continues wherever it was interrupted, and copies nothing twice", async () => {
    const { source, target, tables } = await lab(from);
    const some = tables.filter(({ name }) =>
      ["organizations", "external_ids", "models", "config_revision"].includes(name),
    );
    let attempts = 0;
    for (let isComplete = false; !isComplete; ) {
      const last = ++attempts;
      const failing = beforeStatements(target, statement => {
        if (statement === last) throw new Error("killed");
      });
      isComplete = await copyTables(source.db, failing, some).then(
        () => true,
        () => false,
      );
    }
    expect(attempts).toBeGreaterThan(3);
    expect(differingTables(await digestTables(source.db, some), await digestTables(target.db, some))).toEqual(
      [],
    );
  });

  it("a changed value and a missing row are differences", async () => {
    const { source, target, tables: all } = await lab(from);
    const tables = all.filter(({ name }) => ["external_ids", "models"].includes(name));
    await copyTables(source.db, target, tables);
    const digests = await digestTables(source.db, tables);
    await target.db.updateTable("models").set({ model: "grok-2" }).where("id", "=", 12).execute();
    await target.db.deleteFrom("external_ids").where("external_id", "=", "Id 1").execute();
    expect(differingTables(digests, await digestTables(target.db, tables))).toEqual([
      "external_ids: 4500 rows, copied 4499",
      "models: the rows differ",
    ]);
  });
});
