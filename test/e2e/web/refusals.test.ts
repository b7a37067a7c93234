import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { HOUR_MS } from "@tollgate/core/time/durations";
import type { Refusal } from "@tollgate/storage/ledger/refusal-store";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const noon = Date.parse(NOON);

/** As the gateway records them. */
async function refuse(orgId: string, ...changes: Partial<Refusal>[]): Promise<void> {
  const refusals = changes.map(
    (change): Refusal => ({
      orgId,
      mode: "live",
      createdAtMs: noon - 10,
      keyId: "key",
      agentKey: "default",
      reason: "rate_limited",
      limit: 10,
      budgetId: null,
      ...change,
    }),
  );
  const counts = refusals.map(({ createdAtMs, limit: _, budgetId: __, agentKey, ...same }) => ({
    ...same,
    agentKey: agentKey ?? "",
    hour: createdAtMs - (createdAtMs % HOUR_MS),
    calls: 1,
  }));
  await lab.ledger.recordRefusals({ refusals, counts }, noon);
}

describe("refused calls", () => {
  it("WEB-019 are listed with time, agent, key, reason and limit", async () => {
    const { id, client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "known" });
    await refuse(
      id,
      { agentKey: "known", reason: "budget_exceeded", limit: 500, budgetId: "budget", createdAtMs: noon - 3 },
      { agentKey: "new", reason: "tier_limit", limit: null, keyId: "other", createdAtMs: noon - 2 },
      { agentKey: null, reason: "invalid_header", limit: null, createdAtMs: noon - 1 },
    );
    const none = { agent_id: null, limit: null, budget_id: null, key_id: "key" };
    expect(await client.call("refusals.list")).toEqual({
      refusals: [
        {
          ...none,
          created_at: new Date(noon - 1).toISOString(),
          agent_key: null,
          reason: "invalid_header",
          http_status: 400,
        },
        {
          ...none,
          created_at: new Date(noon - 2).toISOString(),
          agent_key: "new",
          key_id: "other",
          reason: "tier_limit",
          http_status: 402,
        },
        {
          created_at: new Date(noon - 3).toISOString(),
          agent_id: agentId("known"),
          agent_key: "known",
          key_id: "key",
          reason: "budget_exceeded",
          http_status: 429,
          limit: 500,
          budget_id: "budget",
        },
      ],
      next_cursor: null,
    });
  });

  it("WEB-019 are paged, and filtered by agent, key, reason, budget and time", async () => {
    const { id, client, liveKey, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a" });
    await refuse(
      id,
      { agentKey: "a", createdAtMs: noon - 4 },
      { agentKey: "b", createdAtMs: noon - 3, keyId: "other" },
      { agentKey: "a", createdAtMs: noon - 2, reason: "agent_paused" },
      { agentKey: "b", createdAtMs: noon - 1, reason: "budget_exceeded", budgetId: "mine" },
    );
    const found = async (query: Record<string, string>) =>
      (await client.call("refusals.list", query)).refusals.map(
        ({ created_at }) => noon - Date.parse(created_at),
      );
    expect(await found({})).toEqual([1, 2, 3, 4]);
    expect(await found({ agent_id: agentId("a") })).toEqual([2, 4]);
    expect(await found({ agent_key: "b" })).toEqual([1, 3]);
    expect(await found({ key_id: "other" })).toEqual([3]);
    expect(await found({ reason: "agent_paused", agent_key: "a" })).toEqual([2]);
    expect([await found({ budget_id: "mine" }), await found({ budget_id: "other" })]).toEqual([[1], []]);
    const [from, to] = [3, 1].map(before => new Date(noon - before).toISOString());
    expect(await found({ from: from ?? "", to: to ?? "" })).toEqual([2, 3]);
    const first = await client.call("refusals.list", { limit: 3 });
    const second = await client.call("refusals.list", { limit: 3, cursor: first.next_cursor ?? "" });
    expect([first.refusals.length, second.refusals.length, second.next_cursor]).toEqual([3, 1, null]);
    for (const query of [
      `agent_id=${agentId("a")}&agent_key=a`,
      "reason=unknown",
      "cursor=another",
      `from=${to}&to=${from}`,
    ]) {
      expect((await lab.send(`/api/refusals?${query}`, { key: liveKey })).status).toBe(400);
    }
    expect((await refusal(client.call("refusals.list", { agent_id: "nobody" }))).status).toBe(404);
  });

  it("WEB-019 are counted by reason, agent, key and day, and in analytics", async () => {
    const { id, client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a", created_at: noon - 10 });
    await refuse(
      id,
      { agentKey: "a" },
      { agentKey: "a", keyId: "other", createdAtMs: noon - 25 * HOUR_MS },
      { agentKey: "b", reason: "monthly_limit" },
      { agentKey: null, reason: "invalid_header" },
      // The window of two days begins in the middle of nothing: this one is older.
      { createdAtMs: noon - 72 * HOUR_MS },
    );
    const by_reason = [
      { reason: "rate_limited" as const, call_count: 2 },
      { reason: "invalid_header" as const, call_count: 1 },
      { reason: "monthly_limit" as const, call_count: 1 },
    ];
    expect(await client.call("refusals.counts", { days: 2 })).toEqual({
      period: { from: "2026-11-13T12:00:00.000Z", to: NOON },
      call_count: 4,
      by_reason,
      by_agent: [
        { agent_key: "a", call_count: 2 },
        { agent_key: null, call_count: 1 },
        { agent_key: "b", call_count: 1 },
      ],
      by_key: [
        { key_id: "key", call_count: 3 },
        { key_id: "other", call_count: 1 },
      ],
      trend: [
        { date: "2026-11-13", call_count: 0 },
        { date: "2026-11-14", call_count: 1 },
        { date: "2026-11-15", call_count: 3 },
      ],
    });
    const { summary, refused } = await client.call("analytics.get", { days: 2 });
    expect([summary.total_calls, refused]).toEqual([1, { call_count: 4, by_reason }]);
    const ofAgent = await client.call("analytics.get", { days: 2, agent_id: agentId("a") });
    expect(ofAgent.refused.call_count).toBe(2);
    expect((await client.call("refusals.counts", { days: 2, agent_key: "b" })).call_count).toBe(1);
  });

  it("WEB-019 SEC-004 of other organizations, other modes and before the tier's history are not shown", async () => {
    const mine = await lab.organization("starter");
    const theirs = await lab.organization();
    await refuse(theirs.id, {});
    await refuse(mine.id, { mode: "test" }, { createdAtMs: noon - 8 * 24 * HOUR_MS });
    expect((await mine.client.call("refusals.list")).refusals).toEqual([]);
    expect((await mine.client.call("refusals.counts", { days: 30 })).call_count).toBe(0);
    expect((await mine.testClient.call("refusals.list")).refusals).toHaveLength(1);
    await refuse(theirs.id, {}, {});
    const { next_cursor } = await theirs.client.call("refusals.list", { limit: 1 });
    expect((await refusal(mine.client.call("refusals.list", { cursor: next_cursor ?? "" }))).status).toBe(
      400,
    );
  });
});
