import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { ClientError } from "@tollgate/sdk/client-error";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const hoursAgo = (hours: number) => Date.parse(NOON) - hours * 3_600_000;

describe("agents", () => {
  it("WEB-002 GW-047 lists agents and returns one with the specified fields; an unknown id is 404", async () => {
    const { id, client, addEvents, agentId } = await lab.organization();
    expect(await client.call("agents.list")).toEqual({ agents: [], total: 0, next_cursor: null });
    await addEvents({ agent_key: "writer", created_at: hoursAgo(1) }, { agent_key: "writer" });
    // The id was created by the gateway with the agent's first call; the name is its key until it gets another.
    const agent = {
      id: agentId("writer"),
      name: "writer",
      agent_key: "writer",
      organization_id: id,
      created_at: new Date(hoursAgo(1)).toISOString(),
      updated_at: new Date(hoursAgo(1)).toISOString(),
      metadata: {},
      status: "active" as const,
      paused: false,
      breaker_enabled: true,
      category: null,
      last_call_at: NOON,
    };
    expect(await client.call("agents.list")).toEqual({ agents: [agent], total: 1, next_cursor: null });
    expect(await client.call("agents.get", { id: agent.id })).toEqual(agent);
    for (const unknown of [crypto.randomUUID(), "nobody", "%00", "a/b"]) {
      const refused = await client.call("agents.get", { id: unknown }).catch((fault: unknown) => fault);
      expect(refused).toBeInstanceOf(ClientError);
      expect((refused as ClientError).status).toBe(404);
    }
  });

  it("WEB-003 distinguishes archived, error, idle and active, and filters by status and category", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    const failed = { status: "error" as const, created_at: hoursAgo(0.5) };
    const fine = { created_at: hoursAgo(0.5) };
    await addEvents(
      { agent_key: "idle", created_at: hoursAgo(24) },
      { agent_key: "awake", created_at: hoursAgo(23.99) },
      ...[failed, failed, failed, fine, fine].map(event => ({ ...event, agent_key: "broken" })),
      ...[failed, failed, fine, fine, fine].map(event => ({ ...event, agent_key: "shaky" })),
      ...[failed, failed, failed, failed].map(event => ({ ...event, agent_key: "few" })),
      ...Array.from({ length: 6 }, () => ({
        agent_key: "recovered",
        status: "timeout" as const,
        created_at: hoursAgo(1.5),
      })),
      { agent_key: "old" },
    );
    await client.call("agents.update", {
      id: agentId("old"),
      archived: true,
      metadata: { category: "support" },
    });
    const { agents } = await client.call("agents.list");
    expect(Object.fromEntries(agents.map(agent => [agent.agent_key, agent.status]))).toEqual({
      idle: "idle",
      awake: "active",
      broken: "error",
      shaky: "active",
      few: "active",
      recovered: "active",
      old: "archived",
    });
    const keys = async (query: { status?: "error" | "archived"; category?: string }) =>
      (await client.call("agents.list", query)).agents.map(agent => agent.agent_key);
    expect(await keys({ status: "error" })).toEqual(["broken"]);
    expect(await keys({ category: "support" })).toEqual(["old"]);
    expect(await keys({ status: "error", category: "support" })).toEqual([]);
  });

  it("WEB-011 PATCH changes name, metadata, archived and breaker_enabled, individually, with a later updated_at", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a" });
    const id = agentId("a");
    const before = await client.call("agents.get", { id });
    const named = await client.call("agents.update", { id, name: "Writer" });
    const described = await client.call("agents.update", { id, metadata: { team: "x", nested: { a: [1] } } });
    const archived = await client.call("agents.update", { id, archived: true });
    const back = await client.call("agents.update", { id, archived: false });
    const unguarded = await client.call("agents.update", { id, breaker_enabled: false });
    const keysOf = async (breaker_enabled: boolean) =>
      (await client.call("agents.list", { breaker_enabled })).agents.map(({ agent_key }) => agent_key);
    expect([await keysOf(true), await keysOf(false)]).toEqual([[], ["a"]]);
    const guarded = await client.call("agents.update", { id, breaker_enabled: true });
    expect([await keysOf(true), await keysOf(false)]).toEqual([["a"], []]);
    expect(named).toMatchObject({ name: "Writer", metadata: {}, status: "active", agent_key: "a" });
    expect(described).toMatchObject({ name: "Writer", metadata: { team: "x", nested: { a: [1] } } });
    expect([archived.status, back.status]).toEqual(["archived", "active"]);
    const set = [before, back, unguarded, guarded].map(agent => agent.breaker_enabled);
    expect(set).toEqual([true, true, false, true]);
    const all = [before, named, described, archived, back, unguarded, guarded];
    const times = all.map(agent => agent.updated_at);
    expect(times).toEqual([...new Set(times)].toSorted());
    expect(await client.call("agents.get", { id })).toEqual(guarded);
  });

  it("pauses and resumes an agent; resuming answers 400 if it is not paused", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a" });
    const id = agentId("a");
    await client.call("agents.update", { id, name: "A" });
    expect(await client.call("agents.pause", { id })).toMatchObject({ paused: true, name: "A" });
    expect(await client.call("agents.pause", { id })).toMatchObject({ paused: true });
    expect((await client.call("agents.get", { id })).paused).toBe(true);
    expect(await client.call("agents.resume", { id })).toMatchObject({ paused: false, name: "A" });
    const again = await client.call("agents.resume", { id }).catch((fault: ClientError) => fault.status);
    expect(again).toBe(400);
  });

  it("rejects metadata that is too large or too deep, and an empty name", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "a" });
    const id = agentId("a");
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 20; level++) deep = { deep };
    for (const change of [{ metadata: { big: "x".repeat(17_000) } }, { metadata: deep }, { name: "  " }]) {
      const refused = await client.call("agents.update", { id, ...change }).catch((f: ClientError) => f);
      expect(refused).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^(metadata|name)/) },
      });
    }
  });

  it("GW-045 GW-048 keeps test traffic separate: a test key sees only its own agents", async () => {
    const { client, testClient, addEvents } = await lab.organization();
    await addEvents(
      { agent_key: "live" },
      { agent_key: "tried", mode: "test", cost_microcents: microcents(5) },
    );
    expect((await client.call("agents.list")).agents.map(a => a.agent_key)).toEqual(["live"]);
    expect((await testClient.call("agents.list")).agents.map(a => a.agent_key)).toEqual(["tried"]);
  });
});
