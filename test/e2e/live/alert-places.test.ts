import { describe, expect, it } from "bun:test";
import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import { migrationTools } from "@tollgate/storage/database/control-migration";
import { up } from "@tollgate/storage/database/migrations/0010-room-for-live-alerts";
import { sql } from "kysely";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`the seqs of older alerts, ${engine}`, () => {
    it("LIVE-004 stay after the same event, in the same order, and an alert without a seq gets none", async () => {
      const { db } = await databases.open(engine);
      await sql`INSERT INTO organizations (id, name, tier, status, hash_salt, created_at)
        VALUES ('org', 'org', 'pro', 'active', '00', 0)`.execute(db);
      for (const [id, place] of [0, 7001, 7002, 7999, 8001, null].entries()) {
        await db
          .insertInto("alerts")
          .values({
            id: String(id),
            org_id: "org",
            mode: "live",
            alert_key: String(id),
            type: "cost_spike",
            severity: "warning",
            message: "",
            metadata: "{}",
            agent_id: null,
            triggered_at: 0,
            read_at: null,
            live_seq: place,
          })
          .execute();
      }
      await up(migrationTools(db, engine));
      const rows = await db.selectFrom("alerts").select("live_seq").orderBy("id").execute();
      const places = rows.map(row => row.live_seq);
      expect(places).toEqual([0, 7_000_001, 7_000_002, 7_000_999, 8_000_001, null]);
      expect(places.map(place => place && eventAtOrBefore(place))).toEqual([0, 7, 7, 7, 8, null]);
    });
  });
}
