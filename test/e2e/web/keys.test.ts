import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { DAY_MS } from "@tollgate/core/time/durations";
import { watch } from "../../support/clients/watch.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const noon = Date.parse(NOON);
const cost = (amount: number) => ({ cost_microcents: microcents(amount) });

async function organizationWithKeys(tier: "starter" | "enterprise" = "enterprise") {
  const organization = await lab.organization(tier);
  const busy = await organization.client.call("keys.create", { name: "busy" });
  const other = await organization.client.call("keys.create", { name: "other" });
  const usage = async (id: string, client = organization.client) => {
    const { keys } = await client.call("keys.list");
    const key = keys.find(one => one.id === id);
    if (key === undefined) throw new Error("the key is not listed");
    const { calls, spend_microcents, unpriced_calls, last_used_at } = key;
    return { calls, spend_microcents, unpriced_calls, last_used_at };
  };
  return { ...organization, busy, other, usage };
}

const unused = { calls: 0, spend_microcents: 0, unpriced_calls: 0, last_used_at: null };

describe("usage of keys", () => {
  it("WEB-021 spend, calls, unpriced calls and last use are shown by key, and events without one count for none", async () => {
    const { busy, other, usage, addEvents } = await organizationWithKeys();
    expect(busy).toMatchObject(unused);
    await addEvents(
      { key_id: busy.id, created_at: noon - 3000, ...cost(10) },
      { key_id: busy.id, created_at: noon - 1000, ...cost(5) },
      { key_id: busy.id, created_at: noon - 2000, ...cost(0), cost_basis: "unpriced" },
      { key_id: null, created_at: noon - 500, ...cost(100) },
    );
    expect(await usage(busy.id)).toEqual({
      calls: 3,
      spend_microcents: 15,
      unpriced_calls: 1,
      last_used_at: new Date(noon - 1000).toISOString(),
    });
    expect(await usage(other.id)).toEqual(unused);
  });

  it("WEB-021 covers the tier's history, but the last use may be older", async () => {
    const { busy, other, usage, addEvents } = await organizationWithKeys("starter");
    await addEvents(
      { key_id: busy.id, created_at: noon - 8 * DAY_MS, ...cost(10) },
      { key_id: busy.id, created_at: noon - DAY_MS, ...cost(5) },
      { key_id: other.id, created_at: noon - 8 * DAY_MS, ...cost(20) },
    );
    const before = (days: number) => new Date(noon - days * DAY_MS).toISOString();
    expect(await usage(busy.id)).toMatchObject({ calls: 1, spend_microcents: 5, last_used_at: before(1) });
    expect(await usage(other.id)).toEqual({ ...unused, last_used_at: before(8) });
  });

  it("WEB-021 counts a test key's calls, and shows them to a test key too", async () => {
    const { client, testClient, addEvents, usage } = await organizationWithKeys();
    const tested = await client.call("keys.create", { mode: "test" });
    await addEvents({ mode: "test", key_id: tested.id, ...cost(7) });
    expect(await usage(tested.id)).toMatchObject({ calls: 1, spend_microcents: 7 });
    expect(await usage(tested.id, testClient)).toMatchObject({ calls: 1, spend_microcents: 7 });
  });
});

describe("events of a key", () => {
  it("WEB-021 are found by its id, alone and combined, in the list and in the export", async () => {
    const { client, addEvents, busy, other } = await organizationWithKeys();
    const made = await addEvents(
      { key_id: busy.id, agent_key: "a", created_at: noon - 3 },
      { key_id: busy.id, agent_key: "b", status: "error", created_at: noon - 2 },
      { key_id: other.id, agent_key: "a", created_at: noon - 1 },
      { created_at: noon },
    );
    const found = async (filter: Record<string, string>) =>
      (await client.call("events.list", filter)).events.map(event =>
        made.findIndex(({ id }) => id === event.id),
      );
    expect(await found({ key_id: busy.id })).toEqual([1, 0]);
    expect(await found({ key_id: busy.id, status: "error" })).toEqual([1]);
    expect(await found({ key_id: busy.id, agent_key: "a" })).toEqual([0]);
    expect(await found({ key_id: "unknown" })).toEqual([]);
    const csv = await (await client.call("events.export", { key_id: other.id })).text();
    const [header, line, ...more] = csv.trimEnd().split("\r\n");
    expect([header?.split(",").at(-1), line?.split(",").at(-1), more]).toEqual(["key_id", other.id, []]);
  });

  it("WEB-021 SEC-004 of another organization are not found", async () => {
    const mine = await organizationWithKeys();
    const theirs = await organizationWithKeys();
    await theirs.addEvents({ key_id: theirs.busy.id });
    expect((await mine.client.call("events.list", { key_id: theirs.busy.id })).events).toEqual([]);
    await mine.addEvents({ key_id: theirs.busy.id });
    expect((await theirs.client.call("events.list", { key_id: theirs.busy.id })).events).toHaveLength(1);
  });

  it("WEB-021 name it on the live channel", async () => {
    const { liveKey, addEvents, busy } = await organizationWithKeys();
    const viewer = await watch(lab.url, { key: liveKey });
    await viewer.subscribe(["events"]);
    await addEvents({ key_id: busy.id });
    await eventually("the event is sent", () => viewer.of("events").length > 0);
    expect(viewer.of("events").map(({ data }) => data.key_id)).toEqual([busy.id]);
    await viewer.close();
  });
});
