import { describe, expect, it } from "bun:test";
import { numberAlerts } from "@tollgate/control/features/live/number-alerts";
import { eventAtOrBefore, seqOfEvent } from "@tollgate/core/live/live-seq";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { organizationRow } from "../../support/rows/organization-row.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`the seqs of alerts on ${engine}`, () => {
    it("LIVE-004 an organization without a free seq waits for the next event, and delays no other", async () => {
      const { db } = await databases.open(engine);
      let made = 0;
      const raise = async (orgId: string, count: number, seq: number | null = null) => {
        const rows = Array.from({ length: count }, () => ({
          id: String(++made).padStart(8, "0"),
          org_id: orgId,
          mode: "live",
          alert_key: `alert ${made}`,
          type: "cost_spike",
          severity: "warning",
          message: "",
          metadata: "{}",
          agent_id: null,
          triggered_at: 0,
          read_at: null,
          live_seq: seq,
        }));
        await db.insertInto("alerts").values(rows).execute();
      };
      for (const id of ["loud", "quiet"]) {
        await db
          .insertInto("organizations")
          .values(organizationRow({ id, name: id, tier: "pro" }))
          .execute();
      }
      // All seqs after event 7 except 999 are taken.
      await raise("loud", 1);
      await db
        .updateTable("alerts")
        .set({ live_seq: seqOfEvent(8) - 1000 })
        .execute();
      // All but two of its seqs after the seventh event are taken.
      await raise("loud", 1, seqOfEvent(8) - 3);
      await raise("loud", 500);
      await raise("quiet", 1);
      const told: { readonly of: string; readonly seq: number }[] = [];
      const numberAll = async (at: number) => {
        for (;;) {
          const numbered = await numberAlerts(db, () => at);
          if (numbered.length === 0) return;
          told.push(...numbered.map(({ row, seq }) => ({ of: row.org_id, seq })));
        }
      };
      await numberAll(7);
      expect(told).toEqual([
        { of: "loud", seq: seqOfEvent(8) - 2 },
        { of: "loud", seq: seqOfEvent(8) - 1 },
        { of: "quiet", seq: seqOfEvent(7) + 1 },
      ]);
      await numberAll(8);
      expect(told).toHaveLength(501);
      expect(new Set(told.map(({ of, seq }) => `${of} ${seq}`)).size).toBe(501);
      expect(eventAtOrBefore(told.at(-1)?.seq ?? 0)).toBe(8);
    });
  });
}
