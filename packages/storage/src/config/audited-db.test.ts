import { describe, expect, it } from "bun:test";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import type { ControlDb } from "../database/schema.ts";
import { AuditTrail } from "./audit-trail.ts";
import { auditedDb } from "./audited-db.ts";
import { ControlStore } from "./control-store.ts";

const databases = controlDatabases();

describe.each(engines)("commands on %s", engine => {
  it("WEB-020 are recorded as made by `cli`, with what they changed, and without keys", async () => {
    const store = await ControlStore.open(await databases.place(engine), "svc org update");
    const { id } = await store.createOrganization("first", "pro", 1);
    const { key } = await store.createKey(id, "test", "read", 2);
    await store.updateOrganization(id, { tier: "enterprise" });
    await store.updateOrganization(id, { tier: "enterprise" });
    const rows = await store.database.db.selectFrom("audit_log").selectAll().orderBy("created_at").execute();
    expect(rows).toHaveLength(3);
    expect(rows).toMatchObject(
      rows.map(() => ({ org_id: id, actor_kind: "cli", actor: "cli", operation: "svc org update" })),
    );
    const changes = rows.flatMap(row => JSON.parse(row.changes) as unknown[]);
    expect(changes).toContainEqual({
      object: "organizations",
      id,
      before: { tier: "pro" },
      after: { tier: "enterprise" },
    });
    expect(rows.find(({ object }) => object === "api_keys")).toMatchObject({ mode: "test" });
    const text = JSON.stringify(rows);
    expect(text).not.toContain(key);
    const { digest } = await store.database.db
      .selectFrom("api_keys")
      .select("digest")
      .executeTakeFirstOrThrow();
    expect(text).not.toContain(digest);
    await store.close();
  });

  it("WEB-020 are recorded without their long values, whose length and digest show what changed", async () => {
    const database = await databases.open(engine);
    const db = auditedDb(database.db, trailOf("org"));
    await addOrganization(database.db);
    const preferences = (text: string) => JSON.stringify({ email: text, webhook_url: text });
    const [before, after] = ["a".repeat(16_000), "b".repeat(16_001)];
    const row = { org_id: "org", preferences: preferences(before), updated_at: 1 };
    await database.db.insertInto("alert_preferences").values(row).execute();
    await db
      .updateTable("alert_preferences")
      .set({ preferences: preferences(after) })
      .where("org_id", "=", "org")
      .execute();
    await db.updateTable("organizations").set({ name: after }).where("id", "=", "org").execute();
    const shown = (text: string) => ({
      characters: text.length,
      sha256: Bun.SHA256.hash(text, "hex"),
    });
    const entries = await database.db.selectFrom("audit_log").select("changes").orderBy("object").execute();
    expect(entries.map(({ changes }) => JSON.parse(changes) as unknown)).toEqual([
      [
        {
          object: "alert_preferences",
          id: "org",
          before: { preferences: { email: shown(before), webhook_url: "hidden" } },
          after: { preferences: { email: shown(after), webhook_url: "hidden" } },
        },
      ],
      [{ object: "organizations", id: "org", before: { name: "first" }, after: { name: shown(after) } }],
    ]);
  });

  it("WEB-020 count every change beyond the 50 that are recorded one by one", async () => {
    const database = await databases.open(engine);
    const db = auditedDb(database.db, trailOf("org"));
    await addOrganization(database.db);
    const origins = Array.from({ length: 120 }, (_, index) => ({
      org_id: "org",
      origin: `https://${index}.example.org`,
    }));
    await db.transaction().execute(async transaction => {
      await transaction.insertInto("redirect_origins").values(origins).execute();
      await transaction
        .updateTable("organizations")
        .set({ name: "second" })
        .where("id", "=", "org")
        .execute();
      await transaction.deleteFrom("redirect_origins").where("org_id", "=", "org").execute();
    });
    const entries = await database.db
      .selectFrom("audit_log")
      .select(["changes", "omitted_changes"])
      .execute();
    expect(entries.map(entry => JSON.parse(entry.changes).length + entry.omitted_changes)).toEqual([241]);
    expect(entries[0]?.omitted_changes).toBe(191);
  });

  it("WEB-020 write an entry only if the change is committed", async () => {
    const database = await databases.open(engine);
    const trail = trailOf("org");
    const db = auditedDb(database.db, trail);
    const origin = { org_id: "org", origin: "https://example.org" };
    await addOrganization(database.db);
    const failing = db.transaction().execute(async transaction => {
      await transaction.insertInto("redirect_origins").values(origin).execute();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    const entries = () => database.db.selectFrom("audit_log").select(["changes", "object_id"]).execute();
    expect(await entries()).toEqual([]);
    // Twice the same row: the second changes nothing.
    for (const _ of [1, 2]) {
      await db
        .insertInto("redirect_origins")
        .values(origin)
        .onConflict(conflict => conflict.doNothing())
        .execute();
    }
    expect(await entries()).toEqual([
      {
        changes: JSON.stringify([
          { object: "redirect_origins", id: "org https://example.org", before: null, after: origin },
        ]),
        object_id: "org https://example.org",
      },
    ]);
    await trail.finish(database.db);
    expect(await entries()).toHaveLength(1);
  });
});

function trailOf(orgId: string): AuditTrail {
  return new AuditTrail(
    {
      operation: "test",
      actorKind: "cli",
      actor: "cli",
      scope: { orgId, mode: "live" },
      objectId: null,
      sessionId: null,
      ip: null,
      client: null,
    },
    { now: () => 1, newId: () => crypto.randomUUID() },
  );
}

async function addOrganization(db: ControlDb): Promise<void> {
  await db
    .insertInto("organizations")
    .values({ id: "org", name: "first", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
    .execute();
}
