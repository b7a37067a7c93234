import { describe, expect, it } from "bun:test";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
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

  it("WEB-020 write an entry only if the change is committed", async () => {
    const database = await databases.open(engine);
    const trail = new AuditTrail(
      {
        operation: "test",
        actorKind: "cli",
        actor: "cli",
        scope: { orgId: "org", mode: "live" },
        objectId: null,
        sessionId: null,
        ip: null,
        client: null,
      },
      { now: () => 1, newId: () => crypto.randomUUID() },
    );
    const db = auditedDb(database.db, trail);
    const origin = { org_id: "org", origin: "https://example.org" };
    await database.db
      .insertInto("organizations")
      .values({ id: "org", name: "first", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
      .execute();
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
