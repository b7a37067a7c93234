import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { toWireEvent } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const noon = Date.parse(NOON);

describe("events", () => {
  it("shows the ledger's own record, in the list and individually, by either id", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    const [event] = await addEvents({
      session_id: "s/1",
      customer_id: "c:1",
      config_version: "v1 ",
      external_id: "sent-id",
      source: "ingest",
    });
    if (event === undefined) throw new Error("no event was added");
    const shown = {
      ...toWireEvent(event),
      agent_id: agentId("default"),
      adjustment_microcents: 0,
      is_unpriced: false,
    };
    expect(shown.id).toBe("sent-id");
    expect(await client.call("events.list")).toEqual({
      events: [shown],
      next_cursor: null,
      history_begins_at: null,
    });
    expect(await client.call("events.get", { id: "sent-id" })).toEqual(shown);
    expect(await client.call("events.get", { id: event.id })).toEqual(shown);
    expect((await refusal(client.call("events.get", { id: "other" }))).status).toBe(404);
  });

  it("REL-022 says where history begins: in the list, for an event that is not there, and with sums", async () => {
    const { client } = await lab.organization();
    const beginsAt = "2026-09-01T00:00:00.000Z";
    const begin = (at: number) => lab.database.db.updateTable("history").set({ begins_at: at }).execute();
    await begin(Date.parse(beginsAt));
    try {
      const answers = [
        await client.call("events.list"),
        await client.call("analytics.get"),
        await client.call("analytics.breakdown", { group_by: "model" }),
        await client.call("analytics.breakdown", { group_by: "cost_kind" }),
        await client.call("dashboard.get"),
      ];
      expect(answers.map(answer => answer.history_begins_at)).toEqual(answers.map(() => beginsAt));
      const { status, message } = await refusal(client.call("events.get", { id: "gone" }));
      expect(status).toBe(404);
      expect(message).toContain(`events before ${beginsAt} have been removed`);
    } finally {
      await begin(0);
    }
  });

  it("WEB-010 paging by cursor returns every event exactly once, while new ones arrive", async () => {
    const { client, addEvents } = await lab.organization();
    // Several in one millisecond: the cursor must distinguish them.
    const before = await addEvents(
      ...Array.from({ length: 53 }, (_, index) => ({ created_at: noon - Math.floor(index / 4) })),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.call("events.list", { limit: 7, ...(cursor ? { cursor } : {}) });
      seen.push(...page.events.map(event => event.id));
      await addEvents({ created_at: noon + seen.length }, { created_at: noon + seen.length });
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(before.map(event => event.id).toSorted());
  });

  it("filters by agent, session, customer, model, status, config version and time, individually and combined", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    const changes: Partial<Event>[] = [
      { agent_key: "a", session_id: "s", created_at: noon - 5 },
      { agent_key: "b", customer_id: "c", created_at: noon - 4 },
      { agent_key: "a", model: "gpt-4o", created_at: noon - 3 },
      { agent_key: "b", status: "error", created_at: noon - 2 },
      { agent_key: "a", config_version: "v1", created_at: noon - 1 },
    ];
    const ids = (await addEvents(...changes)).map(event => event.id);
    const found = async (query: Record<string, string>) =>
      (await client.call("events.list", query)).events.map(event => ids.indexOf(event.id));
    expect(await found({})).toEqual([4, 3, 2, 1, 0]);
    expect(await found({ agent_id: agentId("a") })).toEqual([4, 2, 0]);
    expect(await found({ agent_key: "b" })).toEqual([3, 1]);
    expect(await found({ session_id: "s" })).toEqual([0]);
    expect(await found({ customer_id: "c" })).toEqual([1]);
    expect(await found({ model: "gpt-4o" })).toEqual([2]);
    expect(await found({ status: "error" })).toEqual([3]);
    expect(await found({ config_version: "v1" })).toEqual([4]);
    expect(
      await found({ from: new Date(noon - 4).toISOString(), to: new Date(noon - 2).toISOString() }),
    ).toEqual([2, 1]);
    expect(await found({ agent_key: "a", status: "error" })).toEqual([]);
    expect(await found({ session_id: "unknown" })).toEqual([]);
    expect((await refusal(client.call("events.list", { agent_id: crypto.randomUUID() }))).status).toBe(404);
    for (const query of [
      { limit: 0 },
      { cursor: "nonsense" },
      { cursor: btoa("1.x") },
      { agent_id: agentId("a"), agent_key: "a" },
    ]) {
      expect((await refusal(client.call("events.list", query))).status).toBe(400);
    }
  });

  it("exports every matching event, in pages, as CSV without formula injection, and as JSON", async () => {
    const { client, addEvents } = await lab.organization();
    await addEvents(...Array.from({ length: 1203 }, (_, index) => ({ created_at: noon - index })));
    await addEvents({ created_at: noon + 1, config_version: '=HYPERLINK("http://x")', session_id: "-1" });
    const csv = await client.call("events.export", {});
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toContain("attachment");
    const lines = (await csv.text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(1 + 1204);
    expect(lines[0]).toStartWith("id,created_at,agent_id");
    expect(lines[1]).toContain(`,'-1,,"'=HYPERLINK(""http://x"")",openai,`);
    const json = (await (await client.call("events.export", { format: "json" })).json()) as {
      events: { id: string }[];
    };
    expect(new Set(json.events.map(event => event.id)).size).toBe(1204);
  });

  it("keeps organizations and modes separate", async () => {
    const one = await lab.organization();
    const two = await lab.organization();
    const [mine] = await one.addEvents({ session_id: "s" });
    const [tried] = await one.addEvents({ mode: "test", session_id: "s" });
    await two.addEvents({ session_id: "s" }, { session_id: "s" });
    expect((await one.client.call("events.list")).events.map(event => event.id)).toEqual([mine?.id ?? ""]);
    expect((await one.testClient.call("events.list")).events.map(e => e.id)).toEqual([tried?.id ?? ""]);
    expect((await one.client.call("sessions.get", { id: "s" })).call_count).toBe(1);
    expect((await two.client.call("sessions.get", { id: "s" })).call_count).toBe(2);
    for (const client of [two.client, one.testClient]) {
      expect((await refusal(client.call("events.get", { id: mine?.id ?? "" }))).status).toBe(404);
    }
  });
});

describe("realistic ids", () => {
  it.each([
    "auth0|5f7c8ec7",
    "jane+test@example.com",
    "team#7?x=1&y=2",
    "100% a/b c\\d",
    `<img src=x onerror="alert('1')">`,
    "Zoë 日本",
    "🦊".repeat(256),
    "e\u0301",
    " outer ",
    "constructor",
  ])("WEB-012 GW-016 %j is found by path and by filter, exactly", async id => {
    const { client, addEvents, agentId } = await lab.organization();
    const ids = { agent_key: id, session_id: id, customer_id: id };
    await addEvents({ ...ids, created_at: noon - 10 }, { created_at: noon - 10 });
    for (const filter of [{ agent_key: id }, { session_id: id }, { customer_id: id }]) {
      const { events } = await client.call("events.list", filter);
      expect(events).toMatchObject([ids]);
    }
    expect(await client.call("sessions.get", { id })).toMatchObject({ id, call_count: 1 });
    expect(await client.call("customers.get", { id })).toMatchObject({ id, call_count: 1 });
    const { agents } = await client.call("agents.list");
    expect(agents.find(agent => agent.id === agentId(id))).toMatchObject({ agent_key: id });
    // Another normalization form of the same letters is another id.
    const other = id.normalize("NFC") === id ? `${id}x` : id.normalize("NFC");
    expect((await refusal(client.call("sessions.get", { id: other }))).status).toBe(404);
    const outcome = await client.call("outcomes.create", { name: "done", session_id: id });
    expect([outcome.session_id, outcome.related_events]).toEqual([id, 1]);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)"])("the id %j is text in the CSV export", async id => {
    const { client, addEvents } = await lab.organization();
    await addEvents({ agent_key: id, session_id: id, customer_id: `${id},"b"`, created_at: noon - 10 });
    const csv = await (await client.call("events.export", {})).text();
    expect(csv).toContain(`,'${id},'${id},"'${id},""b""",`);
  });
});

describe("sessions, customers and config versions", () => {
  it("WEB-012 show the cost of their events, latest activity first, in pages", async () => {
    const { client, addEvents } = await lab.organization();
    const cost = (amount: number) => ({ cost_microcents: microcents(amount) });
    await addEvents(
      { session_id: "a/b c", customer_id: "big", created_at: noon - 3000, ...cost(10) },
      { session_id: "a/b c", customer_id: "big", created_at: noon - 2000, status: "error", ...cost(5) },
      { session_id: "two", customer_id: "small", created_at: noon - 1000, ...cost(1) },
    );
    const first = {
      id: "a/b c",
      call_count: 2,
      error_count: 1,
      input_tokens: 2000,
      output_tokens: 200,
      cost_microcents: 15,
      unpriced_calls: 0,
      first_call_at: new Date(noon - 3000).toISOString(),
      last_call_at: new Date(noon - 2000).toISOString(),
    };
    const page = await client.call("sessions.list", { limit: 1 });
    expect(page.sessions.map(session => session.id)).toEqual(["two"]);
    const next = await client.call("sessions.list", { limit: 1, cursor: page.next_cursor ?? "" });
    expect(next).toEqual({ sessions: [first], next_cursor: null });
    expect(await client.call("sessions.get", { id: "a/b c" })).toEqual(first);
    const { customers } = await client.call("customers.list");
    expect(customers.map(({ id, cost_microcents }) => [id, cost_microcents])).toEqual([
      ["small", 1],
      ["big", 15],
    ]);
    const customer = await client.call("customers.get", { id: "big", days: 2 });
    expect(customer).toMatchObject({ ...first, id: "big" });
    expect(customer.by_day).toEqual([
      { date: "2026-11-13", call_count: 0, cost_microcents: 0, unpriced_calls: 0 },
      { date: "2026-11-14", call_count: 0, cost_microcents: 0, unpriced_calls: 0 },
      { date: "2026-11-15", call_count: 2, cost_microcents: 15, unpriced_calls: 0 },
    ]);
    const refusals = await Promise.all([
      refusal(client.call("sessions.get", { id: "x" })),
      refusal(client.call("customers.get", { id: "x" })),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([404, 404]);
  });

  it("ING-004 groups config versions by exact equality: `v1`, `V1` and `v1 ` are three", async () => {
    const { client, addEvents } = await lab.organization();
    const versions = ["v1", "V1", "v1 ", "v1"];
    await addEvents(...versions.map(config_version => ({ config_version, created_at: noon - 10 })));
    const { config_versions } = await client.call("config_versions.list");
    const counts = config_versions.map(({ config_version, call_count }) => [config_version, call_count]);
    expect(Object.fromEntries(counts)).toEqual({ v1: 2, V1: 1, "v1 ": 1 });
    for (const [version, count] of [
      ["v1", 2],
      ["V1", 1],
      ["v1 ", 1],
    ] as const) {
      const { events } = await client.call("events.list", { config_version: version });
      expect(events).toHaveLength(count);
    }
  });
});
