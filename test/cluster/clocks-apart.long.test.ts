import { afterEach, describe, expect, it, setSystemTime } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@tollgate/core/time/durations";
import { Directory } from "@tollgate/storage/config/directory";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { LedgerCopy } from "@tollgate/storage/shared-ledger/ledger-copy";
import { listNodes, NODE_SILENCE_MS, NodeRegister } from "@tollgate/storage/shared-ledger/node-register";
import { earlierClock, readSharedClock } from "@tollgate/storage/shared-ledger/postgres-clock";
import { PostgresQuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";
import { costOf } from "../support/labs/budget-lab.ts";
import { controlDatabases } from "../support/labs/control-databases.ts";
import { type SharedNode, startSharedBudgetLab } from "../support/labs/shared-budget-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { eventually } from "../support/waiting/eventually.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
let made = 0;
/** Two minutes before a day and a month end. */
const BEFORE_MIDNIGHT = Date.parse("2026-11-30T23:58:00.000Z");
const wish = { tokens: 5 };
const COST = costOf(wish.tokens);
/** A busy machine must not end a transaction. */
const PATIENT_MS = 300_000;

/** What this process takes for the time, as on a machine with a wrong clock. */
async function withClock<Result>(aheadMs: number, work: () => Promise<Result>): Promise<Result> {
  setSystemTime(new Date(Date.now() + aheadMs));
  try {
    return await work();
  } finally {
    setSystemTime();
  }
}
afterEach(() => {
  setSystemTime();
});

/** Calls every node in turns until enough is spent, and then until each has refused several calls in a row. */
async function useUp(nodes: readonly SharedNode[], isEnough: () => boolean): Promise<void> {
  await eventually("enough is spent", async () => {
    for (const node of nodes) await node.call(wish);
    return isEnough();
  });
  const refusals = nodes.map(() => 0);
  while (refusals.some(count => count < 3)) {
    for (const [index, node] of nodes.entries()) {
      const isServed = (await node.call(wish)) === 200;
      refusals[index] = isServed ? 0 : (refusals[index] ?? 0) + 1;
    }
  }
}

const spentBy = (nodes: readonly SharedNode[], day: string) =>
  nodes
    .flatMap(node => node.events())
    .filter(({ created_at }) => new Date(created_at).toISOString().startsWith(day))
    .reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);

async function inLab(
  startsAtMs: number,
  run: (lab: Awaited<ReturnType<typeof startSharedBudgetLab>>, database: ControlDatabase) => Promise<void>,
): Promise<void> {
  const database = await databases.open("postgres");
  const prefix = `lab-${++made}-`;
  const lab = await startSharedBudgetLab(database, name => inFolder(prefix + name), startsAtMs);
  try {
    await run(lab, database);
  } finally {
    await lab.stop();
  }
}

describe("clocks of gateways that are five minutes apart", () => {
  it.each([
    ["daily", false],
    ["monthly", true],
  ] as const)(
    "%s, strict %p: no period is exceeded while it ends at one node after the other",
    async (period, strict) => {
      await inLab(BEFORE_MIDNIGHT, async (lab, database) => {
        const limit = 40 * COST;
        const id = await lab.addBudget({ period, limit, strict }, BEFORE_MIDNIGHT - HOUR_MS);
        const right = await lab.startNode("right");
        const ahead = await lab.startNode("ahead", 5 * MINUTE_MS);
        const behind = await lab.startNode("behind", -5 * MINUTE_MS);
        const nodes = [right, ahead, behind];
        const days = ["2026-11-30", "2026-12-01"];
        const spends = () => days.map(day => spentBy(nodes, day));
        await useUp(nodes, () => spends().every(spent => spent > limit / 2));
        const first = spends();
        expect(ahead.events().every(({ created_at }) => created_at > BEFORE_MIDNIGHT + 2 * MINUTE_MS)).toBe(
          true,
        );
        for (const { clock } of nodes) clock.aheadMs += 4 * MINUTE_MS;
        await useUp(nodes, () => true);
        for (const { clock } of nodes) clock.aheadMs += 5 * MINUTE_MS;
        await useUp(nodes, () => true);
        const last = spends();
        console.log(
          `${period}, strict ${strict}, limit ${limit}: spent ${first.join(" and ")} in the two periods, ${last.join(" and ")} in the end`,
        );
        for (const spent of last) {
          expect(spent - limit).toBeLessThan(strict ? 1 : COST);
        }

        // Everybody who reads the events comes to the same periods.
        for (const node of nodes) await node.ship();
        const directory = new Directory(right.controlPath);
        const path = inFolder(`copy-${made}.db`);
        const ledger = new Ledger(path, "normal", () => {}, { budgets: directory });
        const reader = new LedgerReader(path);
        await (await LedgerCopy.open(database, ledger, LEDGER_START)).refresh();
        const verified = verifyLedger(reader, () => {}, directory.allBudgets());
        expect(verified).toMatchObject({ ok: true, differences: [] });
        const counted = reader.budgetSpends().filter(({ budget_id }) => budget_id === id);
        expect(counted.map(({ spent_microcents }) => spent_microcents).sort()).toEqual(last.toSorted());
        for (const one of [reader, ledger, directory]) one.close();
      });
    },
    600_000,
  );
});

describe("clocks that are hours apart", () => {
  it("a budget that a control plane in the future creates counts from the first call on, at every node", async () => {
    await inLab(BEFORE_MIDNIGHT, async lab => {
      const limit = 40 * COST;
      const nodes = [await lab.startNode("right"), await lab.startNode("behind", -3 * HOUR_MS)];
      await lab.addBudget({ period: "monthly", limit }, BEFORE_MIDNIGHT + 2 * HOUR_MS);
      for (const node of nodes) await node.hear();
      const spent = () =>
        nodes.flatMap(node => node.events()).reduce((sum, one) => sum + one.cost_microcents, 0);
      await useUp(nodes, () => spent() > limit / 2);
      expect(spent() - limit).toBeLessThan(COST);
    });
  }, 600_000);

  it.each([-3, 3])(
    "REL-020 a clock that is set by %p hours neither ends an allowance nor lengthens it",
    async hours => {
      await inLab(BEFORE_MIDNIGHT - 12 * HOUR_MS, async lab => {
        // Of a month, so that the clock leaves no period.
        await lab.addBudget({ period: "monthly", limit: 1_000_000 * COST }, BEFORE_MIDNIGHT - DAY_MS);
        const node = await lab.startNode("node");
        await eventually("a call is admitted from the allowance after the clock was set", async () => {
          node.cutOff(false);
          node.clock.aheadMs = 0;
          const before = await node.call(wish);
          node.cutOff(true);
          node.clock.aheadMs = hours * HOUR_MS;
          // A busy machine may need longer than the allowance lasts, or than a call waits for the first part.
          return before === 200 && (await node.call(wish)) === 200;
        });
        node.clock.uptimeAheadMs += 31_000;
        expect(await node.call(wish)).toBe(429);
        node.cutOff(false);
        await eventually("it has a part again", async () => {
          // Nobody is asked for a second after a fault.
          node.clock.uptimeAheadMs += 1000;
          return (await node.call(wish)) === 200;
        });
      });
    },
    600_000,
  );

  it("a node is alive as long as it reports, and dead soon after, whatever its clock shows", async () => {
    const database = await databases.open("postgres");
    const live = new Map<string, readonly string[]>();
    const registerOf = (id: string) =>
      new NodeRegister(
        database,
        { id, host: "host", version: "1" },
        () => 0,
        () => {},
        nodes =>
          live.set(
            id,
            nodes.map(one => one.id),
          ),
      );
    const clocks = { ahead: 3 * HOUR_MS, behind: -3 * HOUR_MS, right: 0 };
    const registers = Object.entries(clocks).map(([id, aheadMs]) => ({
      id,
      aheadMs,
      register: registerOf(id),
    }));
    const reportAll = async () => {
      for (const { aheadMs, register } of registers) await withClock(aheadMs, () => register.report());
    };
    await eventually("all nodes know of each other", async () => {
      await reportAll();
      return Object.keys(clocks).every(id => live.get(id)?.length === 3);
    });
    const silences = async () => (await listNodes(database)).map(one => [one.id, one.silentForMs] as const);
    for (const aheadMs of Object.values(clocks)) {
      await eventually("all of them are seen", async () => {
        await reportAll();
        return await withClock(aheadMs, async () =>
          (await silences()).every(([, ms]) => ms <= NODE_SILENCE_MS),
        );
      });
    }
    // Since the death of one, eleven seconds have passed.
    await database.db
      .updateTable("nodes")
      .set(({ eb }) => ({ last_seen_at: eb("last_seen_at", "-", 11_000) }))
      .where("id", "=", "ahead")
      .execute();
    expect(new Map(await silences()).get("ahead")).toBeGreaterThan(NODE_SILENCE_MS);
    await eventually("the others know that it is dead", async () => {
      for (const { id, aheadMs, register } of registers)
        if (id !== "ahead") await withClock(aheadMs, () => register.report());
      return [live.get("behind"), live.get("right")].every(ids => ids?.join() === "behind,right");
    });
  }, 600_000);

  it.each([-3, 3])(
    "an agent that a node %p hours off has registered counts for an hour at all nodes",
    async hours => {
      const { db } = await databases.open("postgres");
      const register = (node: string, agentKey: string) =>
        new PostgresQuotaBank(db, node, PATIENT_MS).registerAgent({
          orgId: "org",
          mode: "live",
          agentKey,
          limit: 1,
        });
      expect((await withClock(hours * HOUR_MS, () => register("wrong", "first"))).result).toBe("registered");
      expect((await register("right", "first")).result).toBe("known");
      expect((await register("right", "second")).result).toBe("refused");
      // Its call was never made.
      await db
        .updateTable("agent_slots")
        .set(({ eb }) => ({ taken_at: eb("taken_at", "-", HOUR_MS) }))
        .execute();
      expect((await withClock(hours * HOUR_MS, () => register("wrong", "second"))).result).toBe("registered");
    },
  );

  it("retention removes nothing too early if the clocks of machines and the times of their events are ahead", async () => {
    const database = await databases.open("postgres");
    const before = await readSharedClock(database);
    const future = await withClock(100 * DAY_MS, () => earlierClock(database, Date.now()));
    const past = await withClock(-100 * DAY_MS, () => earlierClock(database, Date.now()));
    expect(future).toBeWithin(before, before + DAY_MS);
    expect(past).toBeLessThan(before - 99 * DAY_MS);
  });
});
