import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import fc from "fast-check";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { budgetRow } from "../../../../test/support/rows/budget-row.ts";
import { PostgresAllowanceBank } from "./allowance-bank.ts";
import { type AllowanceRequest, divide } from "./grant-share.ts";

/** A busy machine must not end a transaction. */
const PATIENT_MS = 300_000;
const databases = controlDatabases();
const key = { orgId: "org", budgetId: "budget", sinceMs: 1, period: "2026-11" };

function request(
  limit: number,
  used: number,
  wanted: number,
  givesBack = false,
  awaited = 0,
): AllowanceRequest {
  return {
    ...key,
    limitMicrocents: microcents(limit),
    blockingSinceMs: null,
    settledMicrocents: microcents(used),
    usedMicrocents: microcents(used),
    keptMicrocents: microcents(0),
    wantedMicrocents: microcents(wanted),
    awaitedMicrocents: microcents(awaited),
    givesBack,
  };
}

describe("divide", () => {
  it("grants an eighth of what is left, at least what is wanted, and at the end the rest", () => {
    expect(divide(request(800, 0, 1), [], "a").grantedMicrocents).toBe(microcents(100));
    expect(divide(request(800, 0, 300), [], "a").grantedMicrocents).toBe(microcents(300));
    expect(divide(request(800, 0, 900), [], "a")).toEqual({
      heldMicrocents: microcents(800),
      grantedMicrocents: microcents(800),
      isLast: true,
      isSpent: false,
      settledElsewhereMicrocents: microcents(0),
    });
  });

  it("grants waiting calls what they need, at most half of what is left", () => {
    const granted = (awaited: number) =>
      divide(request(800, 0, 10, false, awaited), [], "a").grantedMicrocents;
    expect([50, 250, 400, 5000].map(granted)).toEqual([100, 250, 400, 400].map(microcents));
  });

  it("REL-002 never grants more than the limit in total, whatever nodes ask for, use and give back", () => {
    const step = fc.record({
      node: fc.integer({ min: 0, max: 2 }),
      wanted: fc.integer({ min: 0, max: 50 }),
      awaited: fc.integer({ min: 0, max: 500 }),
      uses: fc.integer({ min: 0, max: 100 }),
      givesBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const shares = new Map<number, ReturnType<typeof divide> & { used: number }>();
        for (const { node, wanted, awaited, uses, givesBack } of steps) {
          const before = shares.get(node);
          // A node uses only what it was granted.
          const used = Math.min(before?.grantedMicrocents ?? 0, (before?.used ?? 0) + uses);
          const rows = [...shares].map(([id, share]) => ({
            node_id: String(id),
            granted_microcents: share.heldMicrocents,
            settled_microcents: share.used,
            lost_microcents: 0,
            is_last: share.isLast ? 1 : 0,
          }));
          shares.set(node, {
            ...divide(request(limit, used, wanted, givesBack, awaited), rows, String(node)),
            used,
          });
          const granted = [...shares.values()].reduce((sum, share) => sum + share.grantedMicrocents, 0);
          expect(granted).toBeLessThanOrEqual(limit);
          // Only one node may use the last part up to the last microcent.
          expect([...shares.values()].filter(({ isLast }) => isLast).length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("REL-002 the last part stays with its node when it is used up, unless that gives back or the limit is raised", () => {
    const row = { settled_microcents: 0, lost_microcents: 0 };
    const rows = [
      { ...row, node_id: "a", granted_microcents: 90, is_last: 1 },
      { ...row, node_id: "b", granted_microcents: 10, is_last: 0 },
    ];
    expect(divide(request(100, 90, 5), rows, "a").isLast).toBe(true);
    expect(divide(request(100, 8, 5), rows, "b")).toMatchObject({ isLast: false, grantedMicrocents: 8 });
    expect(divide(request(100, 90, 5, true), rows, "a").isLast).toBe(false);
    expect(divide(request(1000, 90, 5), rows, "a").isLast).toBe(false);
  });

  it("takes back what exceeds a lowered limit, but not what is used", () => {
    const rows = [
      { node_id: "a", granted_microcents: 500, settled_microcents: 100, lost_microcents: 0, is_last: 0 },
      { node_id: "b", granted_microcents: 300, settled_microcents: 300, lost_microcents: 0, is_last: 0 },
    ];
    expect(divide(request(450, 100, 0), rows, "a").grantedMicrocents).toBe(microcents(150));
    expect(divide(request(350, 100, 0), rows, "a").heldMicrocents).toBe(microcents(100));
  });

  it("REL-002 holds what calls in flight have reserved, but grants nothing of it that others have spent", () => {
    const row = { lost_microcents: 0, is_last: 0 };
    const rows = [{ ...row, node_id: "b", granted_microcents: 300, settled_microcents: 300 }];
    const reserving = { ...request(400, 250, 1), settledMicrocents: microcents(50) };
    expect(divide(reserving, rows, "a")).toMatchObject({ heldMicrocents: 250, grantedMicrocents: 100 });
    const others = [...rows, { ...row, node_id: "c", granted_microcents: 200, settled_microcents: 200 }];
    expect(divide(reserving, others, "a")).toMatchObject({ heldMicrocents: 250, grantedMicrocents: 0 });
  });

  it("REL-002 does not leave to others what a node may use until it hears that it has less", () => {
    const row = { lost_microcents: 0, is_last: 0 };
    const rows = [
      { ...row, node_id: "a", granted_microcents: 500, settled_microcents: 100 },
      { ...row, node_id: "b", granted_microcents: 700, settled_microcents: 700 },
    ];
    const keeping = { ...request(1000, 100, 0), keptMicrocents: microcents(500) };
    expect(divide(keeping, rows, "a")).toMatchObject({ heldMicrocents: 500, grantedMicrocents: 300 });
    // It has heard of it.
    const heard = { ...keeping, keptMicrocents: microcents(300) };
    expect(divide(heard, rows, "a")).toMatchObject({ heldMicrocents: 300, grantedMicrocents: 300 });
    // No more than it was granted.
    const wrong = { ...keeping, keptMicrocents: microcents(900) };
    expect(divide(wrong, rows, "a").heldMicrocents).toBe(microcents(500));
  });

  it("BUD-023 says when the nodes together have spent the limit; what is only reserved may be released", () => {
    const rows = [
      { node_id: "b", granted_microcents: 300, settled_microcents: 300, lost_microcents: 0, is_last: 0 },
    ];
    expect(divide(request(400, 100, 1), rows, "a").isSpent).toBe(true);
    expect(divide(request(400, 99, 1), rows, "a").isSpent).toBe(false);
    const reserved = { ...request(400, 100, 1), settledMicrocents: microcents(99) };
    expect(divide(reserved, rows, "a").isSpent).toBe(false);
  });
});

describe("a bank in PostgreSQL", () => {
  it("REL-002 divides a limit among nodes that ask at once, up to the last microcent and no further", async () => {
    const { db } = await databases.open("postgres");
    const nodes = ["a", "b", "c"].map(id => ({
      bank: new PostgresAllowanceBank(db, id, PATIENT_MS),
      used: 0,
    }));
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        nodes.map(async node => {
          const { grantedMicrocents } = await node.bank.ask(request(10_000, node.used, 100));
          node.used = grantedMicrocents;
        }),
      );
    }
    expect(nodes.reduce((sum, { used }) => sum + used, 0)).toBe(10_000);
    const [first] = nodes;
    expect(await first?.bank.ask(request(10_000, first.used, 1))).toMatchObject({ isSpent: true });
  });

  it("REL-002 does nothing for a node that no longer waits: a late give-back must not undo a later grant", async () => {
    const { db } = await databases.open("postgres");
    const [a, b] = ["a", "b"].map(id => new PostgresAllowanceBank(db, id, PATIENT_MS));
    await a?.ask(request(1000, 0, 600));
    const late = a?.ask(request(1000, 0, 0, true), AbortSignal.abort(new Error("nobody waits")));
    await expect(late).rejects.toThrow("nobody waits");
    expect((await b?.ask(request(1000, 0, 1000)))?.grantedMicrocents).toBe(microcents(400));
  });

  it("REL-002 keeps what a node reported before its ledger was lost, and adds what it spends afterwards", async () => {
    const { db } = await databases.open("postgres");
    const [a, b] = ["a", "b"].map(id => new PostgresAllowanceBank(db, id, PATIENT_MS));
    const reserving = { ...request(1000, 320, 400), settledMicrocents: microcents(300) };
    expect((await a?.ask(reserving))?.grantedMicrocents).toBe(microcents(720));
    // Reservations come and go.
    await a?.ask(request(1000, 300, 0, true));
    // The same node id with an empty ledger.
    await a?.ask(request(1000, 0, 0));
    expect((await a?.ask(request(1000, 50, 0)))?.grantedMicrocents).toBe(microcents(50));
    expect((await b?.ask(request(1000, 0, 1000)))?.grantedMicrocents).toBe(microcents(650));
    expect(await b?.ask(request(1000, 650, 1))).toMatchObject({
      isSpent: true,
      settledElsewhereMicrocents: 350,
    });
    // Of its own spend, the first one has lost 300 from its ledger.
    expect(await a?.ask(request(1000, 50, 1))).toMatchObject({ settledElsewhereMicrocents: 650 + 300 });
  });

  it("REL-002 divides the stored limit, if a node does not know yet that it was lowered", async () => {
    const { db } = await databases.open("postgres");
    await db
      .insertInto("organizations")
      .values({ id: "org", name: "org", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
      .execute();
    const row = budgetRow("org", { id: "budget", agent: "default", period: "monthly", limit: 500 }, 1);
    await db.insertInto("budgets").values(row).execute();
    const bank = new PostgresAllowanceBank(db, "a", PATIENT_MS);
    expect((await bank.ask(request(1000, 0, 1000))).grantedMicrocents).toBe(microcents(500));
    expect((await bank.ask(request(400, 0, 0))).grantedMicrocents).toBe(microcents(400));
  });

  it("REL-002 grants nothing before another node has reported with the knowledge that the budget blocks", async () => {
    const { db } = await databases.open("postgres");
    await db
      .insertInto("organizations")
      .values({ id: "org", name: "org", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
      .execute();
    const about = { id: "budget", agent: "default", period: "monthly", limit: 1000 } as const;
    await db
      .insertInto("budgets")
      .values(budgetRow("org", about, 1))
      .execute();
    const node = { host: "host", version: "1", created_at: 1, last_seen_at: 1, newest_seq: 0 };
    await db
      .insertInto("nodes")
      .values(["a", "b"].map(id => ({ ...node, id, removed_at: null })))
      .execute();
    const row = await db.selectFrom("blocking_budgets").selectAll().executeTakeFirstOrThrow();
    const [a, b] = ["a", "b"].map(id => new PostgresAllowanceBank(db, id, PATIENT_MS, PATIENT_MS));
    const asks = { ...request(1000, 0, 100), blockingSinceMs: row.blocking_since };
    const nothing = { awaitsReports: true, grantedMicrocents: 0 };
    expect(await a?.ask(asks)).toMatchObject(nothing);
    // A renewal from the time before: b goes on spending until it hears of the change.
    await b?.ask({ ...request(1000, 50, 0), blockingSinceMs: null });
    expect(await a?.ask(asks)).toMatchObject(nothing);
    await b?.ask({ ...request(1000, 950, 0, true), blockingSinceMs: row.blocking_since });
    expect(await a?.ask({ ...asks, wantedMicrocents: microcents(50) })).toMatchObject({
      awaitsReports: false,
      grantedMicrocents: 50,
    });
  });

  it("keeps budgets, periods and organizations apart", async () => {
    const { db } = await databases.open("postgres");
    const bank = new PostgresAllowanceBank(db, "a", PATIENT_MS);
    for (const other of [
      {},
      { orgId: "other" },
      { budgetId: "other" },
      { sinceMs: 2 },
      { period: "other" },
    ]) {
      const { grantedMicrocents } = await bank.ask({ ...request(100, 0, 100), ...other });
      expect(grantedMicrocents).toBe(microcents(100));
    }
  });
});
