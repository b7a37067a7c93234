import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

const databases = controlDatabases();

describe.each(systemEngines)("filters of lists, on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());
  const ago = (ms: number) => new Date(lab.clock.now() - ms).toISOString();

  it("sessions are listed by customer and by agent, of calls within the window", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    const at = (ms: number) => ({ created_at: lab.clock.now() - ms });
    await addEvents(
      { ...at(5000), session_id: "one", customer_id: "acme", agent_key: "a" },
      { ...at(4000), session_id: "one", customer_id: "acme", agent_key: "b" },
      { ...at(3000), session_id: "two", customer_id: "acme", agent_key: "b" },
      { ...at(2000), session_id: "three", customer_id: "other", agent_key: "b" },
      { ...at(1000), customer_id: "acme", agent_key: "a" },
    );
    type Query = NonNullable<Parameters<typeof client.call<"sessions.list">>[1]>;
    const list = async (query: Query) => (await client.call("sessions.list", query)).sessions;
    const ids = async (query: Query) => (await list(query)).map(({ id }) => id);
    expect(await ids({})).toEqual(["three", "two", "one"]);
    expect(await ids({ customer_id: "acme" })).toEqual(["two", "one"]);
    expect(await ids({ agent_id: agentId("a") })).toEqual(["one"]);
    expect(await ids({ agent_id: agentId("b"), customer_id: "acme" })).toEqual(["two", "one"]);
    expect(await ids({ agent_id: agentId("a"), customer_id: "other" })).toEqual([]);
    expect(await ids({ customer_id: "nobody" })).toEqual([]);
    // The session goes on in the window, but its call of this agent was before.
    expect(await ids({ agent_id: agentId("a"), from: ago(4500) })).toEqual([]);
    // Figures are of the whole session.
    expect(await list({ agent_id: agentId("a") })).toMatchObject([{ call_count: 2 }]);
    const page = await client.call("sessions.list", { customer_id: "acme", limit: 1 });
    const next = await ids({ customer_id: "acme", limit: 1, cursor: page.next_cursor ?? "" });
    expect([page.sessions.map(({ id }) => id), next]).toEqual([["two"], ["one"]]);
    const other = await lab.organization();
    expect((await other.client.call("sessions.list", { customer_id: "acme" })).sessions).toEqual([]);
    const foreign = other.client.call("sessions.list", { agent_id: agentId("a") });
    expect((await refusal(foreign)).status).toBe(404);
  });

  it("agents are found by part of their name or key, in upper or lower case", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents({ agent_key: "mail-Writer" }, { agent_key: "planner" }, { agent_key: "100%_sure" });
    await client.call("agents.update", { id: agentId("planner"), name: "Writes plans" });
    const found = async (search: string) => {
      const { agents, total } = await client.call("agents.list", { search });
      expect(total).toBe(agents.length);
      return agents.map(({ agent_key }) => agent_key);
    };
    expect(await found("WRIT")).toEqual(["mail-Writer", "planner"]);
    expect(await found("plann")).toEqual(["planner"]);
    // No wildcards.
    expect(await found("%")).toEqual(["100%_sure"]);
    expect(await found("a%r")).toEqual([]);
    expect(await found("'\\")).toEqual([]);
  });

  it("ALERT-002 alerts are listed by time, and open or over", async () => {
    const { id: orgId, client } = await lab.organization();
    for (const [id, ms, isOver] of [
      ["old", 3000, true],
      ["open", 2000, false],
      ["new", 1000, true],
    ] as const) {
      await lab.db
        .insertInto("alerts")
        .values({
          id: `${orgId} ${id}`,
          org_id: orgId,
          mode: "live",
          alert_key: id,
          type: "cost_spike",
          severity: "info",
          message: id,
          metadata: "{}",
          agent_id: null,
          triggered_at: lab.clock.now() - ms,
          read_at: null,
          resolved_at: isOver ? lab.clock.now() : null,
        })
        .execute();
    }
    type Query = NonNullable<Parameters<typeof client.call<"alerts.list">>[1]>;
    const found = async (query: Query) =>
      (await client.call("alerts.list", query)).alerts.map(({ message }) => message);
    expect(await found({ resolved: false })).toEqual(["open"]);
    expect(await found({ resolved: true })).toEqual(["new", "old"]);
    expect(await found({ from: ago(2000) })).toEqual(["new", "open"]);
    expect(await found({ from: ago(3000), to: ago(1000) })).toEqual(["open", "old"]);
    const upsideDown = client.call("alerts.list", { from: ago(1), to: ago(2) });
    expect((await refusal(upsideDown)).status).toBe(400);
  });
});
