import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { chat } from "../../support/clients/call-endpoints.ts";
import { type BudgetLab, startBudgetLab } from "../../support/labs/budget-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

const rows = () =>
  lab.gateway.reader.refusals({ orgId: lab.orgId, mode: "live" }, {}, Number.MAX_SAFE_INTEGER, 1000);
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
const counted = () =>
  lab.gateway.reader.refusalCounts({ orgId: lab.orgId, mode: "live" }, everything, "reason", 100);

async function recorded(refusals: number): Promise<void> {
  await eventually(`${refusals} refusals are recorded`, () => rows().length >= refusals);
}

describe("a refused call", () => {
  it("WEB-019 is recorded with its agent, key and reason, and is no event", async () => {
    const { gateway } = lab;
    await lab.setPaused("paused", lab.now());
    const reader = await gateway.store.createKey(gateway.orgId, "live", "read", Date.now());
    const id = await lab.addBudget({ agent: "poor", limit: 1 });
    lab.learn();
    expect((await lab.call({ tokens: 1 }, { agent: "paused" })).status).toBe(403);
    expect((await gateway.post(chat.path, "{")).status).toBe(400);
    expect((await gateway.post(chat.path, chat.body, { "x-agent-id": " " })).status).toBe(400);
    expect((await gateway.post(chat.path, chat.body, { authorization: `Bearer ${reader.key}` })).status).toBe(
      403,
    );
    expect((await lab.call({ tokens: 1 }, { agent: "poor" })).status).toBe(200);
    expect((await lab.call({ tokens: 1 }, { agent: "poor" })).status).toBe(429);
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
    await lab.removeBudget(id);
  });

  it("WEB-019 is counted, however many there are; a stop writes what was noted", async () => {
    const { gateway } = lab;
    const own = await startBudgetLab();
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
