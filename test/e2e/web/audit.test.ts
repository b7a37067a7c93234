import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { jsonBody } from "../../support/clients/json-body.ts";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  describe(`the audit log on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    it("WEB-020 says who changed what, from where, before and after", async () => {
      const { client, id: orgId } = await lab.organization();
      const { id } = await client.call("budgets.create", {
        period: "daily",
        limit_microcents: 1000,
        enforcement_mode: "alert_only",
      });
      await client.call("budgets.update", { id, limit_microcents: 2000 });
      await client.call("budgets.delete", { id });
      const { entries } = await client.call("audit.list", { object_id: id });
      expect(entries.map(({ operation }) => operation)).toEqual([
        "budgets.delete",
        "budgets.update",
        "budgets.create",
      ]);
      const [deleted, updated, created] = entries.map(({ changes }) => changes[0]);
      expect(created).toMatchObject({
        object: "budgets",
        id,
        before: null,
        after: { limit_microcents: 1000 },
      });
      expect(updated?.before).toMatchObject({ limit_microcents: 1000 });
      expect(updated?.after).toMatchObject({ limit_microcents: 2000 });
      expect(updated?.after).not.toHaveProperty("period");
      expect(deleted).toMatchObject({ before: { limit_microcents: 2000 }, after: null });
      expect(entries[0]).toMatchObject({
        actor: { kind: "key", session_id: null },
        origin: { ip: "127.0.0.1" },
        object: "budgets",
        omitted_changes: 0,
      });

      const browser = await lab.member(orgId, "admin");
      await browser.post(`${lab.url}/api/keys`, { name: "mine" }, { origin: lab.url });
      const mine = await client.call("audit.list", { operation: "keys.create" });
      expect(mine.entries).toMatchObject([
        { actor: { kind: "member", session_id: expect.any(String) }, object: "api_keys" },
      ]);
      const [own] = mine.entries;
      const byActor = await client.call("audit.list", { actor: own?.actor.name ?? "" });
      expect(byActor.entries.map(({ id: entry }) => entry)).toContain(own?.id ?? "");
    });

    it("WEB-020 SEC-001 never shows secrets, and says that they changed", async () => {
      const { client, id: orgId } = await lab.organization();
      const { key } = await client.call("keys.create", {});
      const secret = "whsec_a-secret-that-nobody-may-read";
      const webhook = await client.call("webhooks.register", {
        orgId,
        url: "https://example.org/hook",
        events: ["event.created"],
        secret,
      });
      const { secret: rotated } = await client.call("webhooks.rotate_secret", { id: webhook.id });
      await client.call("alerts.preferences.update", {
        slack_webhook: "https://hooks.slack.com/services/T/B/token",
      });
      const invited = await client.call("members.invite", { email: "friend@example.org", role: "viewer" });
      const { entries } = await client.call("audit.list", {});
      const text = JSON.stringify(entries);
      const code = new URL(invited.accept_url ?? "").searchParams.get("invitation") ?? "";
      for (const hidden of [key, secret, rotated, "services/T/B/token", code]) {
        expect(hidden.length).toBeGreaterThan(10);
        expect(text).not.toContain(hidden);
      }
      const rotation = entries.find(({ operation }) => operation === "webhooks.rotate_secret");
      expect(rotation?.changes[0]).toMatchObject({
        before: { secret: "hidden" },
        after: { secret: "hidden" },
      });
    });

    it("WEB-020 records nothing of what was refused, and nothing of other organizations", async () => {
      const [ours, theirs] = [await lab.organization(), await lab.organization()];
      await theirs.client.call("keys.create", { name: "theirs" });
      expect((await refusal(ours.client.call("budgets.delete", { id: crypto.randomUUID() }))).status).toBe(
        404,
      );
      expect((await ours.client.call("audit.list", {})).entries).toEqual([]);
      expect((await theirs.client.call("audit.list", {})).entries).toHaveLength(1);
    });

    it("WEB-020 is for admins, pages through every entry once, and filters by time", async () => {
      const { client, id: orgId } = await lab.organization();
      for (const name of ["one", "two", "three"]) await client.call("keys.create", { name });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.call("audit.list", {
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...page.entries.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(3);
      expect((await client.call("audit.list", { to: "2020-01-01T00:00:00Z" })).entries).toEqual([]);
      const viewer = await lab.member(orgId, "viewer");
      expect((await viewer.send(`${lab.url}/api/audit`)).status).toBe(403);
      const admin = await lab.member(orgId, "admin");
      expect(await jsonBody(await admin.send(`${lab.url}/api/audit`))).toMatchObject({ next_cursor: null });
    });

    it("WEB-020 cannot be changed or shortened", async () => {
      const { client } = await lab.organization();
      await client.call("keys.create", { name: "one" });
      await expect(sql`DELETE FROM audit_log`.execute(lab.db)).rejects.toThrow("append-only");
      await expect(sql`UPDATE audit_log SET actor = 'nobody'`.execute(lab.db)).rejects.toThrow("append-only");
    });
  });
}
