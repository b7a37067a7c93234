import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { tiers } from "@tollgate/core/limits/tiers";
import { monthOf } from "@tollgate/core/time/month";
import { PostgresQuotaBank, type QuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { seeded } from "../../../../test/support/simulations/simulated-fleet.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { Agents } from "./agents.ts";
import { CallGrants } from "./call-grants.ts";
import { CallLimits } from "./call-limits.ts";
import { SharedAgents } from "./shared-agents.ts";
import { SharedMonths } from "./shared-months.ts";

const databases = controlDatabases();
/** A busy machine must not make an answer late. */
const PATIENT_MS = 300_000;
const nowMs = Date.parse("2026-11-15T12:00:00.000Z");
const limits = { ...tiers.starter, monthlyCalls: 200, burstPerMinute: 1_000_000 };
const org = { orgId: "org", mode: "live", tier: "starter", limits } as const;

/** One of several gateways, as far as a tier's limits are concerned. */
function startNode(bank: QuotaBank, ownCalls = 0) {
  const faults: unknown[] = [];
  const clock = { aheadMs: 0 };
  const uptimeMs = () => performance.now() + clock.aheadMs;
  const months = new SharedMonths({
    bank,
    callsInMonth: () => ownCalls,
    onFault: fault => faults.push(fault),
    uptimeMs,
    patienceMs: 1000,
  });
  const callLimits = new CallLimits(() => ownCalls, null, months);
  const known: string[] = [];
  const agents = new Agents(
    { agentsOf: () => known, hasAgent: () => false },
    "http://web/settings/plan",
    () => 0,
    new SharedAgents(bank, fault => faults.push(fault), uptimeMs, PATIENT_MS),
  );
  return {
    months,
    clock,
    faults,
    /** null: admitted. */
    async call(): Promise<TollgateError | null> {
      try {
        const month = await callLimits.askForMonth(org, () => nowMs);
        try {
          callLimits.check(org, nowMs, { burst: null, month });
          callLimits.take(org, nowMs);
        } finally {
          month?.release();
        }
        return null;
      } catch (fault) {
        if (fault instanceof TollgateError) return fault;
        throw fault;
      }
    },
    async callOfAgent(agentKey: string, mode: "live" | "test" = "live"): Promise<number> {
      const owner = { ...org, mode };
      try {
        await agents.register(owner, agentKey);
        if (agents.isNew(owner, agentKey)) agents.remember(owner, agentKey);
        return 200;
      } catch (fault) {
        if (fault instanceof TollgateError) return fault.status;
        throw fault;
      }
    },
  };
}

async function withNodes(
  run: (nodes: ReturnType<typeof startNode>[], bankOf: (node: string) => PostgresQuotaBank) => Promise<void>,
): Promise<void> {
  const { db } = await databases.open("postgres");
  const bankOf = (node: string) => new PostgresQuotaBank(db, node, PATIENT_MS);
  await run(
    ["a", "b", "c"].map(name => startNode(bankOf(name))),
    bankOf,
  );
}

const admitted = (answers: readonly unknown[]) => answers.filter(answer => answer === null).length;

describe("monthly calls of three nodes", () => {
  it("REL-011 LIM-008 together they make no call too many, and leave none that another node could have made", async () => {
    await withNodes(async nodes => {
      const answers: unknown[] = [];
      let made = 0;
      const caller = async () => {
        while (made < 450) answers.push(await nodes[made++ % 3]?.call());
      };
      await Promise.all(Array.from({ length: 20 }, caller));
      const tooMany = Math.max(0, admitted(answers) - 200);
      const left = 200 - admitted(answers);
      // What a node holds and nobody asks it for returns when it is idle.
      for (const { months, clock } of nodes) {
        clock.aheadMs += 60_000;
        await months.renew();
      }
      // A call waits a second for PostgreSQL, which a busy machine may exceed.
      for (let call = 0; call < left; call++)
        await eventually("the rest is admitted", async () => (await nodes[0]?.call()) === null);
      console.log(
        `monthly calls: limit 200, 450 asked for at 3 nodes: ${tooMany} too many, ${left} refused too early`,
      );
      expect(tooMany).toBe(0);
      expect(left).toBeLessThan(25);
      await eventually("every call is known", async () => (await nodes[1]?.call())?.body.current === 200);
      const refusal = await nodes[1]?.call();
      expect(refusal?.body).toMatchObject({ limit: 200, current: 200, reset_at: "2026-12-01T00:00:00.000Z" });
    });
  }, 600_000);

  it("counts what each node had made before", async () => {
    await withNodes(async (_, bankOf) => {
      const first = startNode(bankOf("a"), 150);
      const second = startNode(bankOf("b"), 40);
      for (const node of [first, second])
        await eventually("its first call is admitted", async () => (await node.call()) === null);
      const answers: unknown[] = [];
      for (let call = 0; call < 20; call++) answers.push(await (call % 2 === 0 ? first : second).call());
      expect(admitted(answers)).toBe(8);
    });
  }, 600_000);

  it("REL-011 counts what a node had made before its ledger was lost, and not what it only began", async () => {
    await withNodes(async (_, bankOf) => {
      const share = { orgId: "org", month: monthOf(nowMs), limit: 200, wantedCalls: 0, givesBack: false };
      await bankOf("a").askForCalls({ ...share, madeCalls: 101, usedCalls: 110, isFirst: true });
      await bankOf("a").askForCalls({ ...share, madeCalls: 100, usedCalls: 100, isFirst: false });
      const restarted = startNode(bankOf("a"));
      const second = startNode(bankOf("b"));
      await eventually("its first call is admitted", async () => (await restarted.call()) === null);
      const answers: unknown[] = [];
      for (let call = 0; call < 120; call++) answers.push(await (call % 2 === 0 ? restarted : second).call());
      expect(admitted(answers)).toBeWithin(75, 100);
    });
  }, 600_000);

  it("REL-018 without PostgreSQL calls go on, each node counts alone, and the calls are known afterwards", async () => {
    await withNodes(async (_, bankOf) => {
      const real = bankOf("a");
      let isAway = true;
      const node = startNode({
        askForCalls: request => (isAway ? Promise.reject(new Error("away")) : real.askForCalls(request)),
        heldMonths: () => Promise.reject(new Error("away")),
        registerAgent: () => Promise.reject(new Error("away")),
        withdrawAgent: () => Promise.reject(new Error("away")),
      });
      for (let call = 0; call < 50; call++) expect(await node.call()).toBeNull();
      expect(node.faults.length).toBe(1);
      isAway = false;
      await node.months.renew();
      const share = {
        orgId: "org",
        month: monthOf(nowMs),
        limit: 200,
        madeCalls: 0,
        usedCalls: 0,
        isFirst: true,
      };
      const other = await bankOf("b").askForCalls({ ...share, wantedCalls: 1, givesBack: false });
      expect(other.usedCalls).toBe(50);
    });
  }, 600_000);
});

describe("agents of three nodes", () => {
  it("REL-011 LIM-009 together they register as many as the tier has, and admit each of them everywhere", async () => {
    await withNodes(async nodes => {
      const crowd = Array.from({ length: 30 }, (_, index) =>
        nodes[index % 3]?.callOfAgent(`agent-${index % 10}`),
      );
      const statuses = await Promise.all(crowd);
      const names = new Set(statuses.flatMap((status, index) => (status === 200 ? [index % 10] : [])));
      const tooMany = Math.max(0, names.size - tiers.starter.agents);
      const tooFew = Math.max(0, tiers.starter.agents - names.size);
      console.log(
        `agents: limit 3, 10 asked for at 3 nodes: ${tooMany} too many, ${tooFew} refused too early`,
      );
      expect(names.size).toBe(3);
      for (const node of nodes) {
        for (const name of names) expect(await node.callOfAgent(`agent-${name}`)).toBe(200);
        expect(await node.callOfAgent("another")).toBe(402);
        expect(await node.callOfAgent("another", "test")).toBe(200);
      }
    });
  }, 600_000);

  it("a refused call registers no agent", async () => {
    await withNodes(async ([first, second], bankOf) => {
      for (const name of ["one", "two"]) await first?.callOfAgent(name);
      const agents = new Agents(
        { agentsOf: () => [], hasAgent: () => false },
        "",
        () => 0,
        new SharedAgents(
          bankOf("c"),
          () => {},
          () => 0,
          PATIENT_MS,
        ),
      );
      await agents.register(org, "three");
      expect(await second?.callOfAgent("four")).toBe(402);
      agents.withdraw(org, "three");
      await eventually("the slot is free", async () => (await second?.callOfAgent("four")) === 200);
    });
  }, 600_000);

  it("REL-011 a refused call does not withdraw an agent that another call has asked for since", async () => {
    const { db } = await databases.open("postgres");
    const limited = { ...org, limits: { ...limits, agents: 1 } };
    const nodes = ["a", "b"].map(id => agentsOf(new PostgresQuotaBank(db, id, PATIENT_MS)));
    const [first, second] = nodes;
    await first?.register(limited, "one");
    await second?.register(limited, "one");
    first?.withdraw(limited, "one");
    expect(second?.isNew(limited, "one")).toBe(true);
    await expect(
      agentsOf(new PostgresQuotaBank(db, "c", PATIENT_MS)).register(limited, "two"),
    ).rejects.toThrow("all are in use");
  }, 600_000);

  it("REL-011 in any order of calls, refusals and late withdrawals, an admitted agent has its slot", async () => {
    const { db } = await databases.open("postgres");
    const runs = simulationRuns(300);
    for (let seed = 1; seed <= runs; seed++) {
      const random = seeded(seed);
      const turns = async (most: number) => {
        for (let left = Math.floor(random() * most); left > 0; left--)
          await new Promise(resolve => setImmediate(resolve));
      };
      const orgId = `org ${seed}`;
      const limited = { ...org, orgId, limits: { ...limits, agents: 2 } };
      const withdrawals: Promise<void>[] = [];
      const nodes = ["a", "b", "c"].map(id => {
        const bank = new PostgresQuotaBank(db, id, PATIENT_MS);
        return agentsOf({
          registerAgent: request => bank.registerAgent(request),
          withdrawAgent: slot => {
            const withdrawn = turns(5).then(() => bank.withdrawAgent(slot));
            withdrawals.push(withdrawn);
            return withdrawn;
          },
        });
      });
      const admitted = new Set<string>();
      const call = async () => {
        await turns(20);
        const agents = nodes[Math.floor(random() * 3)] as Agents;
        const name = `agent ${Math.floor(random() * 4)}`;
        const caller = new CallGrants(limited, name, {
          limits: new CallLimits(() => 0),
          agents,
          now: () => nowMs,
        });
        try {
          if (random() < 0.2) throw new TollgateError("rate_limited", "");
          await caller.ask();
          await turns(10);
          if (random() < 0.6) throw new TollgateError("budget_exceeded", "");
          if (agents.isNew(limited, name)) agents.remember(limited, name);
          admitted.add(name);
        } catch (fault) {
          if (!(fault instanceof TollgateError)) throw fault;
          caller.refused();
        }
      };
      await Promise.all(Array.from({ length: 12 }, call));
      await Promise.all(withdrawals);
      const slots = await db
        .selectFrom("agent_slots")
        .select("agent_key")
        .where("org_id", "=", orgId)
        .execute();
      const registered = slots.map(({ agent_key }) => JSON.parse(agent_key) as string);
      expect([seed, [...admitted].filter(name => !registered.includes(name))]).toEqual([seed, []]);
      expect([seed, slots.length > 2]).toEqual([seed, false]);
    }
  }, 600_000);
});

const agentsOf = (bank: Pick<QuotaBank, "registerAgent" | "withdrawAgent">) =>
  new Agents(
    { agentsOf: () => [], hasAgent: () => false },
    "",
    () => 0,
    new SharedAgents(
      bank,
      () => {},
      () => 0,
      PATIENT_MS,
    ),
  );
