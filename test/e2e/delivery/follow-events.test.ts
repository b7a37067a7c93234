import { afterAll, describe, expect, it } from "bun:test";
import { followEvents, WEBHOOKS_CURSOR } from "@tollgate/control/features/webhooks/follow-events";
import type { Event } from "@tollgate/core/event";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { startDeliveryLab } from "../../support/labs/delivery-lab.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const undo: (() => unknown)[] = [];
afterAll(() => {
  for (const step of undo.reverse()) step();
});
let made = 0;

async function startLab(engine: Engine) {
  const database = await databases.open(engine);
  const lab = await startDeliveryLab(database);
  const path = inFolder(`ledger-${++made}.db`);
  const ledger = new Ledger(path, "normal");
  const reader = new LedgerReader(path);
  undo.push(
    () => ledger.close(),
    () => reader.close(),
  );
  const woken: string[] = [];
  const follower = (of: ControlDatabase = database) =>
    followEvents(of, reader, {
      now: lab.clock.now,
      wakeSender: (receivers = []) => woken.push(...receivers),
    });
  const append = async (...changes: Partial<Event>[]): Promise<Event[]> => {
    const settlements = changes.map(change =>
      sampleSettlement(crypto.randomUUID(), { org_id: lab.orgId, ...change }),
    );
    await ledger.append(settlements, []);
    return settlements.map(({ event }) => event);
  };
  const deliveries = () => lab.db.selectFrom("deliveries").selectAll().orderBy("id").execute();
  const setCursor = (position: number) =>
    lab.db
      .updateTable("cursors")
      .set({ position, event_id: reader.positionAt(position)?.eventId ?? null })
      .where("reader", "=", WEBHOOKS_CURSOR)
      .execute();
  const cursor = async () =>
    (
      await lab.db
        .selectFrom("cursors")
        .select("position")
        .where("reader", "=", WEBHOOKS_CURSOR)
        .executeTakeFirst()
    )?.position;
  return { ...lab, database, reader, woken, follower, append, deliveries, setCursor, cursor };
}

for (const engine of systemEngines) {
  describe(`following the ledger on ${engine}`, () => {
    it("HOOK-003 HOOK-014 sends every event, successful, failed or ingested, with the twelve fields as stored", async () => {
      const lab = await startLab(engine);
      const webhook = await lab.webhook("http://127.0.0.1:9/");
      const follower = lab.follower();
      await follower.catchUp();
      const events = await lab.append(
        { created_at: 1000, session_id: "run", customer_id: "c-1", agent_key: "a" },
        { created_at: 2000, status: "error", cost_microcents: sampleSettlement("x").event.cost_microcents },
        { created_at: 3000, external_id: "theirs \u0000", source: "ingest" },
      );
      await follower.catchUp();
      const rows = await lab.deliveries();
      expect(
        rows.map(({ receiver, status, tries, channel, kind }) => ({
          receiver,
          status,
          tries,
          channel,
          kind,
        })),
      ).toEqual(
        events.map(() => ({
          receiver: webhook,
          status: "pending",
          tries: 0,
          channel: "webhook",
          kind: "event.created",
        })),
      );
      expect(rows.map(({ body }) => JSON.parse(body))).toEqual(
        events.map(event => ({
          event_type: "event.created",
          timestamp: new Date(event.created_at + event.latency_ms).toISOString(),
          data: {
            id: event.external_id ?? event.id,
            org_id: lab.orgId,
            agent_key: event.agent_key,
            provider: event.provider,
            model: event.model,
            input_tokens: event.input_tokens,
            output_tokens: event.output_tokens,
            cost_microcents: event.cost_microcents,
            cost_basis: event.cost_basis,
            latency_ms: event.latency_ms,
            status: event.status,
            session_id: event.session_id,
            customer_id: event.customer_id,
          },
        })),
      );
      expect(lab.woken).toEqual([webhook]);
    });

    it("HOOK-002 HOOK-014 sends only to webhooks that selected the kind, in the same organization and mode, and only later events", async () => {
      const lab = await startLab(engine);
      const follower = lab.follower();
      const before = await lab.append({}, {});
      const asked = await lab.webhook("http://127.0.0.1:9/");
      const late = await lab.webhook("http://127.0.0.1:9/");
      const test = await lab.webhook("http://127.0.0.1:9/");
      const off = await lab.webhook("http://127.0.0.1:9/");
      await lab.webhook("http://127.0.0.1:9/", ["outcome.confirmed", "alert.triggered"]);
      await lab.db
        .updateTable("webhooks")
        .set({ since_seq: before.length + 1 })
        .where("id", "=", late)
        .execute();
      await lab.db.updateTable("webhooks").set({ mode: "test" }).where("id", "=", test).execute();
      await lab.db.updateTable("webhooks").set({ disabled_at: 1 }).where("id", "=", off).execute();
      // The very first start: earlier events are not sent.
      await follower.catchUp();
      expect(await lab.deliveries()).toEqual([]);
      const [first, second, inTest] = await lab.append({}, {}, { mode: "test" });
      await lab.append({ org_id: "another" });
      await follower.catchUp();
      const told = (await lab.deliveries()).map(({ receiver, subject_id }) => `${receiver} ${subject_id}`);
      expect(told.toSorted()).toEqual(
        [
          `${asked} ${first?.id}`,
          `${asked} ${second?.id}`,
          `${late} ${second?.id}`,
          `${test} ${inTest?.id}`,
        ].toSorted(),
      );
    });

    it("REL-007 another follower, even one that starts in the middle, repeats and skips nothing", async () => {
      const lab = await startLab(engine);
      await lab.webhook("http://127.0.0.1:9/");
      await lab.webhook("http://127.0.0.1:9/");
      await lab.follower().catchUp();
      const told = new Set<string>();
      for (let round = 0; round < 5; round++) {
        for (const { id } of await lab.append(...Array.from({ length: 300 }, () => ({})))) told.add(id);
        // Each is abandoned after its round; in one round two run concurrently.
        const both = [lab.follower(), lab.follower()];
        await Promise.all(both.map(follower => follower.catchUp()));
      }
      const rows = await lab.deliveries();
      expect(rows).toHaveLength(3000);
      expect(new Set(rows.map(({ receiver, subject_id }) => `${receiver} ${subject_id}`)).size).toBe(3000);
      expect(new Set(rows.map(({ subject_id }) => subject_id))).toEqual(told);
    });

    it("REL-008 HOOK-009 what a power cut lost is recreated with the same ids and bytes, and what survived stays", async () => {
      const lab = await startLab(engine);
      await lab.webhook("http://127.0.0.1:9/");
      await lab.webhook("http://127.0.0.1:9/");
      await lab.follower().catchUp();
      await lab.append(...Array.from({ length: 20 }, (_, at) => ({ created_at: at * 1000 })));
      await lab.follower().catchUp();
      const before = await lab.deliveries();
      expect(before).toHaveLength(40);
      expect(
        before.every(({ id }) =>
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
        ),
      ).toBe(true);
      const [sent, ...lost] = before;
      const result = { status: "delivered", finished_at: lab.clock.now() };
      await lab.db
        .updateTable("deliveries")
        .set(result)
        .where("id", "=", sent?.id ?? "")
        .execute();
      await lab.db
        .deleteFrom("deliveries")
        .where(
          "id",
          "in",
          lost.map(({ id }) => id),
        )
        .execute();
      await lab.setCursor(0);
      lab.clock.advance(60_000);
      await lab.follower().catchUp();
      const known = (rows: typeof before) =>
        rows.map(({ id, receiver, subject_id, body }) => [id, receiver, subject_id, body]);
      const after = await lab.deliveries();
      expect(known(after)).toEqual(known(before));
      expect(after.filter(({ status }) => status === "delivered").map(({ id }) => id)).toEqual([
        sent?.id ?? "",
      ]);
    });

    it("writes nothing without webhooks, and one registered later misses nothing", async () => {
      const lab = await startLab(engine);
      const follower = lab.follower();
      await follower.catchUp();
      expect(await lab.cursor()).toBe(0);
      await lab.append({}, {}, {});
      await follower.catchUp();
      expect(await lab.cursor()).toBe(0);
      const webhook = await lab.webhook("http://127.0.0.1:9/");
      await lab.db.updateTable("webhooks").set({ since_seq: 3 }).where("id", "=", webhook).execute();
      const [event] = await lab.append({});
      // A restart begins at the stored cursor; events older than the registration are skipped.
      await lab.follower().catchUp();
      expect((await lab.deliveries()).map(({ subject_id }) => subject_id)).toEqual([event?.id ?? ""]);
      expect(await lab.cursor()).toBe(4);
    });
  });
}
