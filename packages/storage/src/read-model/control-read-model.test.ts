import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { START } from "../../../../test/support/labs/random-traffic.ts";
import { allPages, readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleIntent, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { createReadModel } from "./control-read-model.ts";
import { verifyReadModel } from "./deriving/verify-read-model.ts";

const bench = readModelLab();

describe.each(engines)("the read model on %s", engine => {
  it("keeps organizations and modes apart: no query finds another's event, session, customer or agent", async () => {
    const { ledger, follower, model } = await bench(engine);
    const theirs = { org_id: "theirs", session_id: "s", customer_id: "c", external_id: "sent as" } as const;
    await ledger.append([sampleSettlement("theirs", theirs)]);
    await follower.catchUp();
    const window = { from: START, to: START + DAY_MS };
    const owner = { orgId: "theirs", mode: "live" } as const;
    expect((await model.event(owner, "sent as"))?.event.id).toBe("theirs");
    const {
      rows: [agent],
    } = await model.agentPage(owner, SAMPLE_DAY, {}, 10);
    for (const scope of [
      { orgId: "ours", mode: "live" } as const,
      { orgId: "theirs", mode: "test" } as const,
    ]) {
      expect(await model.event(scope, "theirs")).toBeNull();
      expect(await model.event(scope, "sent as")).toBeNull();
      expect(await model.session(scope, "s")).toBeNull();
      expect(await model.customer(scope, "c")).toBeNull();
      expect(await model.agent(scope, agent?.id ?? "", SAMPLE_DAY)).toBeNull();
      expect(await model.agentPage(scope, SAMPLE_DAY, {}, 10)).toEqual({ rows: [], next: null });
      expect(await model.agentsById(scope, SAMPLE_DAY, [agent?.id ?? ""])).toEqual([]);
      expect(await model.agentIds(scope, ["default"])).toEqual(new Map());
      expect(await model.countAgents(scope, SAMPLE_DAY, {})).toBe(0);
      expect((await model.fleetCounts(scope, SAMPLE_DAY)).active).toBe(0);
      expect(await model.firstCallAt(scope)).toBeNull();
      expect(await model.agentsByCost(scope, window, { limit: 10 })).toEqual([]);
      expect(await model.spendingAgents(scope, window, [agent?.id ?? ""])).toBe(0);
      expect(await model.usageByAgent(scope, window)).toMatchObject({
        agents: [],
        verifications: { calls: 0 },
      });
      expect((await model.usage(scope, window, agent?.id)).totals.calls).toBe(0);
      expect((await model.usage(scope, window)).byDay).toHaveLength(1);
      expect(await model.customerDays(scope, "c", window)).toMatchObject([{ calls: 0 }]);
      for (const list of [model.sessions, model.customers, model.configVersions]) {
        expect(await list(scope, window, 10)).toEqual({ rows: [], next: null });
      }
      expect(await model.events(scope, {}, 10)).toEqual({ rows: [], next: null });
    }
  });

  it("lists the calls that this machine's copy of the ledger has, if the facts are already ahead of it", async () => {
    const { ledger, follower, database } = await bench(engine);
    const behind = await bench("sqlite");
    const [first, second] = ["first", "second"].map(id => sampleSettlement(id, { session_id: "s" }));
    await ledger.append([first ?? expect.unreachable(), second ?? expect.unreachable()]);
    await behind.ledger.append([first ?? expect.unreachable()]);
    await follower.catchUp();
    const model = createReadModel(database, behind.reader);
    const scope = { orgId: "org", mode: "live" } as const;
    for (const filter of [{}, { sessionId: "s" }]) {
      const { rows, next } = await model.events(scope, filter, 10);
      expect(rows.map(({ event }) => event.id)).toEqual(["first"]);
      expect(next).toBeNull();
    }
  });

  it("knows an agent by the ledger's public id, even while its first call is in flight", async () => {
    const { ledger, follower, model } = await bench(engine);
    const id = "0b1c9a52-9d4f-4b7e-8f4e-2f1a2c3d4e5f";
    const scope = { orgId: "org", mode: "live" } as const;
    const { event, cards } = sampleSettlement("first", { agent_key: "new" });
    await ledger.journal(sampleIntent("first", { agent_key: "new" }), {
      id,
      org_id: "org",
      mode: "live",
      agent_key: "new",
      first_seen_at: SAMPLE_DAY - 5,
    });
    await follower.catchUp();
    const expected = {
      id,
      agent_key: "new",
      first_seen_at: SAMPLE_DAY - 5,
      last_call_at: null,
      recent_calls: 0,
      recent_errors: 0,
    };
    expect((await model.agentPage(scope, SAMPLE_DAY, {}, 10)).rows).toEqual([expected]);
    await ledger.settle({ event, cards });
    await follower.catchUp();
    expect(await model.agent(scope, id, SAMPLE_DAY)).toEqual({
      ...expected,
      last_call_at: SAMPLE_DAY,
      recent_calls: 1,
    });
  });

  it("WEB-010 pages return every event that existed at the start exactly once, while new calls arrive", async () => {
    const { ledger, follower, model } = await bench(engine);
    const scope = { orgId: "org", mode: "live" } as const;
    const at = (index: number) => SAMPLE_DAY + Math.floor(index / 3);
    for (let index = 0; index < 30; index++) {
      await ledger.append([sampleSettlement(`old ${index}`, { created_at: at(index) })]);
    }
    await follower.catchUp();
    let arrived = 0;
    const rows = await allPages(async after => {
      const page = await model.events(scope, {}, 4, after);
      await ledger.append([sampleSettlement(`new ${arrived++}`, { created_at: at(29) + arrived })]);
      await follower.catchUp();
      return page;
    });
    const old = rows.map(({ event }) => event.id).filter(id => id.startsWith("old"));
    expect(new Set(old).size).toBe(30);
    expect(old).toHaveLength(30);
  });

  it("is not blocked by any name, however long or strange", async () => {
    const { database, ledger, reader, follower, model } = await bench(engine);
    const scope = { orgId: "org", mode: "live" } as const;
    const strange = [
      "\0",
      `a\0b${"\\u0000"}`,
      "\u{1f600}".repeat(5000),
      `${"\u{1f600}".repeat(5000)}!`,
      'it\'s "quoted"',
    ];
    for (const [index, name] of strange.entries()) {
      const names = { external_id: name, session_id: name, customer_id: name, config_version: name };
      await ledger.append([
        sampleSettlement(`strange ${index}`, { ...names, agent_key: name, provider: name, model: name }),
      ]);
    }
    await follower.catchUp();
    expect(await verifyReadModel(database, reader)).toEqual([]);
    for (const [index, name] of strange.entries()) {
      const id = `strange ${index}`;
      expect((await model.event(scope, name))?.event.id).toBe(id);
      expect((await model.session(scope, name))?.calls).toBe(1);
      for (const filter of [
        { sessionId: name },
        { model: name },
        { configVersion: name },
        { agentKey: name },
      ]) {
        expect((await model.events(scope, filter, 5)).rows.map(({ event }) => event.id)).toEqual([id]);
      }
    }
  });

  it("shows a budget's spend as the gateway wrote it, for this period and since its last reset", async () => {
    const { ledgerPath, model } = await bench(engine);
    const gateway = new Database(ledgerPath);
    gateway.run(
      "INSERT INTO budget_spend VALUES ('b', 5, '2026-11', 700, 30), ('b', 1, '2026-11', 9, 0), ('b', 5, '2026-10', 8, 0)",
    );
    gateway.close();
    const spend = await model.budgetSpend([
      { id: "b", since: 5, period: "2026-11" },
      { id: "new", since: 5, period: "2026-11" },
    ]);
    expect([...spend]).toEqual([
      ["b", { settledMicrocents: microcents(700), withheldMicrocents: microcents(30) }],
    ]);
  });

  it("says how far behind the ledger it is", async () => {
    const { ledger, follower, model } = await bench(engine);
    expect(await model.lag()).toBe(0);
    await ledger.append([sampleSettlement("a"), sampleSettlement("b")]);
    expect(await model.lag()).toBe(2);
    expect(await follower.catchUp()).toBe(2);
    expect(await model.lag()).toBe(0);
  });
});
