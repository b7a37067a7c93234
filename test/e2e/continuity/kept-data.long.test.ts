import { describe, expect, it } from "bun:test";
import { ledgerRepairs } from "@tollgate/control/startup/ledger-repairs";
import { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { CountedEvent } from "@tollgate/storage/ledger/event-parts";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { watch } from "../../support/clients/watch.ts";
import { systemEngines } from "../../support/full-size.ts";
import { type ContinuityLab, continuityLabs } from "../../support/labs/continuity-lab.ts";
import { adjust } from "../../support/labs/read-model-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const startLab = continuityLabs();

async function addWebhook(lab: ContinuityLab, sinceSeq: number): Promise<string> {
  const id = crypto.randomUUID();
  await lab.db
    .insertInto("webhooks")
    .values({
      id,
      org_id: lab.orgId,
      mode: "live",
      url: "http://127.0.0.1:9/",
      events: '["event.created"]',
      secret: "a secret",
      created_at: Date.now(),
      updated_at: Date.now(),
      since_seq: sinceSeq,
      previous_secret: null,
      previous_secret_until: null,
      failing_since: null,
      disabled_at: null,
      disabled_reason: null,
    })
    .execute();
  return id;
}

async function alertAt(lab: ContinuityLab, metric: "daily_cost" | "monthly_cost"): Promise<void> {
  await lab.db
    .insertInto("alert_thresholds")
    .values({
      id: metric,
      org_id: lab.orgId,
      mode: "live",
      agent_id: null,
      agent_key: null,
      metric,
      threshold_value: 0.0001,
      action: "email",
      created_at: 0,
      updated_at: 0,
    })
    .execute();
}

async function told(lab: ContinuityLab, webhook: string): Promise<string[]> {
  const rows = await lab.db
    .selectFrom("deliveries")
    .select("subject_id")
    .where("receiver", "=", webhook)
    .execute();
  return rows.map(({ subject_id }) => subject_id).toSorted();
}

const idsOf = (...events: readonly { readonly id: string }[][]) =>
  events
    .flat()
    .map(({ id }) => id)
    .toSorted();

describe.each(systemEngines)("after a ledger was restored, on %s", engine => {
  it("webhooks get every new call and no call twice, including webhooks registered after the backup", async () => {
    const lab = await startLab(engine);
    await lab.start();
    const first = await addWebhook(lab, 0);
    await eventually("webhooks are followed", async () => {
      const cursors = lab.db.selectFrom("cursors").select("reader").where("reader", "=", "webhooks:events");
      return (await cursors.executeTakeFirst()) !== undefined;
    });
    const common = await lab.call("one", 6);
    await lab.caughtUp();
    const copy = lab.backUp();
    const lost = await lab.call("two", 8);
    const second = await addWebhook(lab, lab.newestSeq());
    await lab.caughtUp();
    await eventually("all were told of", async () => (await told(lab, first)).length === 14);
    await lab.restore(copy);
    const fresh = await lab.call("three", 5);
    await lab.caughtUp();
    await eventually("the new ones are told of", async () => (await told(lab, second)).length === 5);
    expect(await told(lab, first)).toEqual(idsOf(common, lost, fresh));
    expect(await told(lab, second)).toEqual(idsOf(fresh));
  });

  it("settings, outcomes and payments stay, and belong to the agent that calls again", async () => {
    const lab = await startLab(engine);
    await lab.start();
    const [rerated] = await lab.call("one", 3);
    const copy = lab.backUp();
    await lab.call("two", 3);
    await lab.caughtUp();
    const client = lab.client();
    const { agents } = await client.call("agents.list", {});
    const two = agents.find(({ agent_key }) => agent_key === "two")?.id ?? "";
    await client.call("agents.update", { id: two, name: "The second" });
    await client.call("outcomes.create", { name: "sold", agent_id: two, success: true });
    const budget = await client.call("budgets.create", {
      agent_id: two,
      period: "monthly",
      limit_microcents: 1_000_000_000,
      enforcement_mode: "alert_only",
    });
    if (rerated) await adjust(lab.database, rerated, 777);
    await lab.restore(copy);
    await lab.call("two", 2);
    await lab.caughtUp();
    const { found } = await lab.compare();
    expect(found).toEqual([]);
    const again = (await client.call("agents.list", {})).agents.filter(
      ({ agent_key }) => agent_key === "two",
    );
    expect(again.map(({ name }) => name)).toEqual(["The second"]);
    expect(again[0]?.id).not.toBe(two);
    const { outcomes } = await client.call("outcomes.list", {});
    expect(outcomes.map(({ name, agent_id }) => ({ name, agent_id }))).toEqual([
      { name: "sold", agent_id: again[0]?.id ?? null },
    ]);
    const kept = (await client.call("budgets.list", {})).budgets.find(({ id }) => id === budget.id);
    expect(kept?.agent_id).toBe(again[0]?.id ?? "");
    const { summary } = await client.call("analytics.get", {});
    const { events } = await lab.compare();
    expect(summary.total_cost_microcents).toBe(
      events.reduce((sum, event) => sum + event.cost_microcents, 777),
    );
  });

  it("open experiments and savings are counted again, results of ended ones stay", async () => {
    const lab = await startLab(engine);
    await lab.start();
    await lab.call("writer", 1);
    await lab.call("done", 1);
    await lab.caughtUp();
    const client = lab.client();
    const { agents } = await client.call("agents.list", {});
    const idOf = (key: string) => agents.find(({ agent_key }) => agent_key === key)?.id ?? "";
    const experiment = { name: "cheaper", treatment_model: "gpt-4.1-nano", traffic_pct: 50 };
    const open = await client.call("experiments.create", { ...experiment, agent_id: idOf("writer") });
    const ended = await client.call("experiments.create", { ...experiment, agent_id: idOf("done") });
    await lab.db
      .insertInto("optimizations")
      .values({
        id: "guard",
        org_id: lab.orgId,
        mode: "live",
        agent_id: idOf("done"),
        agent_key: "done",
        optimization_type: "token_guardrails",
        payload: '{"max_output_tokens":500}',
        source: "api",
        applied_by: "somebody",
        applied_at: Date.now(),
        undone_at: null,
      })
      .execute();
    const samples = async (id: string) => {
      const { control_samples, treatment_samples } = await client.call("experiments.get", { id });
      return control_samples + treatment_samples;
    };
    const effects = async () => {
      const rows = await lab.db.selectFrom("optimization_effects").select("calls").execute();
      return rows.reduce((sum, { calls }) => sum + calls, 0);
    };
    await lab.call("writer", 4, { experiment_id: open.id, arm: "control" });
    await lab.call("done", 3, { experiment_id: ended.id, arm: "treatment" });
    const copy = lab.backUp();
    await lab.call("writer", 2, { experiment_id: open.id, arm: "treatment" });
    await lab.call("done", 2);
    await eventually("all are counted", async () => (await samples(open.id)) === 6);
    await eventually("all are added up", async () => (await effects()) === 5);
    await client.call("experiments.stop", { id: ended.id });
    const results = await client.call("experiments.get", { id: ended.id });
    await lab.restore(copy);
    await lab.call("writer", 1, { experiment_id: open.id, arm: "treatment" });
    await lab.call("done", 1);
    await lab.caughtUp();
    await eventually("the ledger's are counted", async () => (await samples(open.id)) === 5);
    await eventually("the ledger's are added up", async () => (await effects()) === 4);
    expect(await client.call("experiments.get", { id: ended.id })).toEqual(results);
  });

  it("alerts are neither raised again nor missing", async () => {
    const lab = await startLab(engine);
    await lab.start();
    const client = lab.client();
    await lab.call("one", 1);
    const copy = lab.backUp();
    await alertAt(lab, "daily_cost");
    await lab.call("one", 3);
    await lab.caughtUp();
    const alerts = async () => (await client.call("alerts.list", {})).alerts.map(({ id }) => id);
    await eventually("the first alert is there", async () => (await alerts()).length > 0);
    const before = await alerts();
    await lab.restore(copy);
    await lab.call("one", 2);
    await lab.caughtUp();
    await alertAt(lab, "monthly_cost");
    await lab.call("one", 1);
    await eventually("what is new is told", async () => (await alerts()).length > before.length);
    expect((await alerts()).filter(id => before.includes(id)).toSorted()).toEqual(before.toSorted());
    const keys = await lab.db.selectFrom("alerts").select("alert_key").execute();
    expect(new Set(keys.map(({ alert_key }) => alert_key)).size).toBe(keys.length);
  });

  it("viewers are directed to the web API, and a position among the lost events is refused", async () => {
    const lab = await startLab(engine);
    await lab.start();
    await lab.call("one", 4);
    await lab.caughtUp();
    const copy = lab.backUp();
    const viewer = await watch(lab.url(), { key: lab.key });
    await viewer.subscribe(["events"]);
    await lab.call("two", 4);
    await eventually("they are shown", () => viewer.of("events").length === 4);
    await lab.restore(copy);
    await lab.call("three", 6);
    expect(await viewer.ended()).toBe(4409);
    await lab.caughtUp();
    // This ledger has an event with the same seq, but another one.
    const back = await watch(lab.url(), { key: lab.key });
    back.askFor(["events"], viewer.of("events")[2]?.seq ?? "none");
    expect(await back.ended()).toBe(4409);
    const older = await watch(lab.url(), { key: lab.key });
    await older.subscribe(["events"], viewer.acks[0]?.seq ?? "none");
    await eventually("the new ones are shown", () => older.of("events").length === 6);
    await older.close();
  });

  it("REL-014 a rebuild interrupted by a crash is finished at the next start, and reported until then", async () => {
    const lab = await startLab(engine);
    await lab.start();
    await lab.call("one", 30);
    const copy = lab.backUp();
    await lab.call("two", 10);
    await lab.caughtUp();
    await lab.stopControl();
    await lab.restore(copy);

    const reader = new InterruptedReader(lab.ledgerPath);
    const parts = { database: lab.database, ledger: reader, now: Date.now, log: () => {} };
    const facts = async () => (await lab.db.selectFrom("facts").select("seq").execute()).length;
    // It dies before the repair is committed: nothing has changed.
    const failing = { reader: "failing", restart: () => Promise.reject(new Error("crash")) };
    const dying = new LedgerContinuity({ ...parts, repairs: [...ledgerRepairs, failing] });
    await expect(dying.reconcile()).rejects.toThrow("crash");
    expect(dying.isDegraded).toBe(true);
    expect(await facts()).toBe(40);
    // It dies after eight events of the rebuild.
    const repairing = new LedgerContinuity({ ...parts, repairs: ledgerRepairs });
    expect(await repairing.reconcile()).toBe(true);
    expect(repairing.isDegraded).toBe(true);
    const follower = followReadModel(lab.database, reader, { batchSize: 4 });
    reader.batches = 2;
    await expect(follower.catchUp()).rejects.toThrow("crash");
    expect(await facts()).toBe(8);
    reader.close();
    // Postpones its end, so that it can be observed.
    await lab.db.updateTable("rebuilds").set({ until_seq: 33 }).execute();

    await lab.start();
    await eventually("it has caught up", async () => (await facts()) === 30);
    expect((await lab.health()).status).toBe("degraded");
    expect((await lab.health()).services.database).toBe("degraded");
    expect(await lab.metric("svc_control_ledger_diverged")).toBe(1);
    await lab.call("three", 3);
    await lab.caughtUp();
    expect((await lab.compare()).found).toEqual([]);
    expect(lab.divergences()).toEqual([]);
    expect(await lab.metric("svc_control_ledger_rebuilds")).toBe(1);
  });

  it("a database of a version without event ids is compared with the derived data", async () => {
    const lab = await startLab(engine);
    await lab.start();
    await lab.call("one", 10);
    const copy = lab.backUp();
    await lab.call("two", 5);
    await lab.caughtUp();
    await lab.stopControl();
    await lab.db.updateTable("cursors").set({ event_id: null }).execute();
    await lab.start();
    await lab.caughtUp();
    expect(lab.divergences()).toEqual([]);
    await lab.stopControl();
    await lab.db.updateTable("cursors").set({ event_id: null }).execute();
    await lab.restore(copy);
    await lab.call("one", 20);
    await lab.start();
    await lab.caughtUp();
    expect(lab.divergences()).toHaveLength(1);
    expect((await lab.compare()).found).toEqual([]);
  });
});

/** Reads the given number of batches, then no more. */
class InterruptedReader extends LedgerReader {
  batches = Number.POSITIVE_INFINITY;

  override countedBetween(after: number, upTo: number): CountedEvent[] {
    if (this.batches-- <= 0) throw new Error("crash");
    return super.countedBetween(after, upTo);
  }
}
