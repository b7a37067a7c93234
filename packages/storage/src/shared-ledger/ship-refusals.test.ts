import { describe, expect, it } from "bun:test";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { Ledger } from "../ledger/ledger.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import type { RefusalFilter } from "../ledger/read-refusals.ts";
import type { Refusal } from "../ledger/refusal-store.ts";
import { sharedRefusals } from "./shared-refusals.ts";
import { RefusalShipping } from "./ship-refusals.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const scope = { orgId: "org", mode: "live" } as const;
const HOUR = Date.parse("2026-11-15T12:00:00.000Z");
const always = { from: 0, to: Number.MAX_SAFE_INTEGER };

let made = 0;

function startNode(database: ControlDatabase, name: string) {
  const path = inFolder(`ledger-${made++}.db`);
  const ledger = new Ledger(path, "normal");
  const reader = new LedgerReader(path);
  const shipping = () =>
    new RefusalShipping(
      database,
      reader,
      name,
      () => {},
      () => HOUR + 60_000,
    );
  return {
    shipping,
    async refuse(
      atMs: number,
      agentKey: string,
      reason = "rate_limited",
      budgetId: string | null = null,
    ): Promise<void> {
      const refusal: Refusal = {
        ...scope,
        createdAtMs: HOUR + atMs,
        keyId: "key",
        agentKey,
        reason,
        limit: 10,
        budgetId,
      };
      const count = { ...scope, hour: HOUR, reason, agentKey, keyId: "key", calls: 1 };
      await ledger.recordRefusals({ refusals: [refusal], counts: [count] }, HOUR);
    },
    close() {
      reader.close();
      ledger.close();
    },
  };
}

describe("refused calls of several nodes", () => {
  it("are listed once, newest first over all nodes, and counted together, however often a shipment starts anew", async () => {
    const database = await databases.open("postgres");
    const first = startNode(database, "a");
    const second = startNode(database, "b");
    // Two calls at the same moment, and a name that PostgreSQL's text cannot hold.
    await first.refuse(1, "one");
    await second.refuse(2, "nul\u0000");
    await first.refuse(2, "one");
    for (const node of [first, second]) {
      await node.shipping().ship();
      await node.shipping().ship();
    }
    await first.refuse(3, "three", "monthly_limit");
    const again = first.shipping();
    await again.ship();
    await again.ship();

    const source = sharedRefusals(database.db);
    const page = await source.list(scope, {}, null, 2);
    const last = page.at(-1);
    const rest = await source.list(scope, {}, { at: last?.created_at ?? 0, seq: last?.id ?? 0 }, 10);
    const all = [...page, ...rest];
    expect(all.map(({ created_at }) => created_at - HOUR)).toEqual([3, 2, 2, 1]);
    expect(all.map(({ agent_key }) => agent_key).sort()).toEqual(["nul\u0000", "one", "one", "three"]);
    expect(await source.list({ ...scope, orgId: "other" }, {}, null, 10)).toEqual([]);
    expect((await source.list(scope, { agentKey: "nul\u0000" }, null, 10)).length).toBe(1);
    expect((await source.list(scope, { reason: "monthly_limit", from: HOUR + 3 }, null, 10)).length).toBe(1);
    expect(await source.counts(scope, always, "reason", 10)).toEqual([
      { name: "rate_limited", calls: 3 },
      { name: "monthly_limit", calls: 1 },
    ]);
    expect(await source.counts(scope, always, "agent", 2)).toEqual([
      { name: "one", calls: 2 },
      { name: "nul\u0000", calls: 1 },
    ]);
    expect(await source.counts(scope, always, "day", 10, "one")).toEqual([
      { name: String(Date.parse("2026-11-15T00:00:00.000Z")), calls: 2 },
    ]);
    first.close();
    second.close();
  }, 600_000);

  it("are listed by every filter that a gateway's own list has", async () => {
    const database = await databases.open("postgres");
    const node = startNode(database, "a");
    await node.refuse(1, "one", "budget_exhausted", "budget");
    await node.refuse(2, "one", "budget_exhausted", "other budget");
    await node.refuse(3, "two");
    await node.shipping().ship();
    const timesOf = async (filter: RefusalFilter) =>
      (await sharedRefusals(database.db).list(scope, filter, null, 10)).map(
        ({ created_at }) => created_at - HOUR,
      );
    expect(await timesOf({ agentKey: "one" })).toEqual([2, 1]);
    expect(await timesOf({ keyId: "key" })).toEqual([3, 2, 1]);
    expect(await timesOf({ keyId: "other key" })).toEqual([]);
    expect(await timesOf({ reason: "rate_limited" })).toEqual([3]);
    expect(await timesOf({ budgetId: "budget" })).toEqual([1]);
    expect(await timesOf({ from: HOUR + 2, to: HOUR + 3 })).toEqual([2]);
    node.close();
  }, 600_000);

  it("are shipped from a ledger that begins anew", async () => {
    const database = await databases.open("postgres");
    const lost = startNode(database, "a");
    for (const atMs of [1, 2, 3]) await lost.refuse(atMs, "one");
    await lost.shipping().ship();
    lost.close();
    const anew = startNode(database, "a");
    await anew.shipping().ship();
    await anew.refuse(4, "two");
    await anew.shipping().ship();
    const found = await sharedRefusals(database.db).list(scope, {}, null, 10);
    expect(found.map(({ agent_key }) => agent_key)).toEqual(["two", "one", "one", "one"]);
    anew.close();
  }, 600_000);
});
