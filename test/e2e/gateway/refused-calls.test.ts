import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { chat } from "../../support/clients/call-endpoints.ts";
import { type BudgetBench, startBudgetBench } from "../../support/labs/budget-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let bench: BudgetBench;
beforeAll(async () => {
  bench = await startBudgetBench();
});
afterAll(() => bench.stop());

const rows = () =>
  bench.gateway.reader.refusals({ orgId: bench.orgId, mode: "live" }, {}, Number.MAX_SAFE_INTEGER, 1000);
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
const counted = () =>
  bench.gateway.reader.refusalCounts({ orgId: bench.orgId, mode: "live" }, everything, "reason", 100);

async function recorded(refusals: number): Promise<void> {
  await eventually(`${refusals} refusals are recorded`, () => rows().length >= refusals);
}

describe("a refused call", () => {
  it("WEB-019 is recorded with its agent, key and reason, and is no event", async () => {
    const { gateway } = bench;
    await bench.setPaused("paused", bench.now());
    const reader = await gateway.store.createKey(gateway.orgId, "live", "read", Date.now());
    const id = await bench.addBudget({ agent: "poor", limit: 1 });
    bench.learn();
    expect((await bench.call({ tokens: 1 }, { agent: "paused" })).status).toBe(403);
    expect((await gateway.post(chat.path, "{")).status).toBe(400);
    expect((await gateway.post(chat.path, chat.body, { "x-agent-id": " " })).status).toBe(400);
    expect((await gateway.post(chat.path, chat.body, { authorization: `Bearer ${reader.key}` })).status).toBe(
      403,
    );
    expect((await bench.call({ tokens: 1 }, { agent: "poor" })).status).toBe(200);
    expect((await bench.call({ tokens: 1 }, { agent: "poor" })).status).toBe(429);
    // Nobody knows whose call this is.
    expect((await gateway.post(chat.path, chat.body, { authorization: "Bearer unknown" })).status).toBe(401);
    await recorded(5);
    const own = { key_id: gateway.liveKeyId, limit_value: null, budget_id: null };
    expect(rows().reverse()).toMatchObject([
      { ...own, agent_key: "paused", reason: "agent_paused" },
      { ...own, agent_key: "default", reason: "invalid_json" },
      { ...own, agent_key: null, reason: "invalid_header" },
      { ...own, agent_key: "default", reason: "insufficient_scope", key_id: reader.id },
      { ...own, agent_key: "poor", reason: "budget_exceeded", limit_value: 1, budget_id: id },
    ]);
    expect(rows()).toHaveLength(5);
    expect(gateway.events()).toHaveLength(1);
    await bench.removeBudget(id);
  });

  it("WEB-019 is counted, however many there are; a stop writes what was noted", async () => {
    const { gateway } = bench;
    const own = await startBudgetBench();
    const { dataDir, orgId } = own.gateway;
    await own.setPaused("paused", own.now());
    own.learn();
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => own.call({ tokens: 1 }, { agent: "paused" })),
    );
    expect(answers.every(({ status }) => status === 403)).toBe(true);
    await own.stop("keep files");
    const reader = new LedgerReader(join(dataDir, "ledger.db"));
    const scope = { orgId, mode: "live" } as const;
    expect(reader.refusalCounts(scope, everything, "reason", 10)).toEqual([
      { name: "agent_paused", calls: 60 },
    ]);
    // Twenty of a minute; a slow machine may need two.
    expect(reader.refusals(scope, {}, Number.MAX_SAFE_INTEGER, 100).length).toBeWithin(20, 41);
    reader.close();
    expect(counted().length).toBeGreaterThan(0);
    expect(gateway.events().every(({ agent_key }) => agent_key !== "paused")).toBe(true);
  });
});
