import { afterAll, beforeAll, expect, it } from "bun:test";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import type { Mode } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { sampleRequests } from "../../support/clients/sample-requests.ts";
import { toRequest } from "../../support/clients/to-request.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const other = { live: "test", test: "live" } as const;
const budget = { period: "daily", limit_microcents: 1000, enforcement_mode: "alert_only" } as const;

/** Followers read the ledger in order: when the last organization appears, everything before it was read. */
async function everythingWasFollowed(): Promise<void> {
  const { client, addEvents, agentId } = await lab.organization();
  await client.call("budgets.create", budget);
  lab.clock.advance(1);
  await addEvents({ agent_key: "last", cost_microcents: microcents(1000) });
  await eventually("the alert was raised", async () => (await client.call("alerts.list")).alerts.length > 0);
  await eventually("its profile was made", async () => {
    const { insufficient_data } = await client.call("suggestions.list", {});
    return insufficient_data.some(one => one.agent_id === agentId("last") && one.reason.startsWith("1 call"));
  });
}

it("GW-045 a test call changes no live answer of the web API, nor a live call a test answer: no total, list or budget", async () => {
  // The first evaluation of predictions comes before any call; by this clock there is no second one.
  const { client } = await lab.organization();
  await eventually("predictions were looked for", async () => {
    const { computed_at } = await client.call("predictions.list", {});
    return computed_at !== null;
  });
  const org = await fillOrganization(lab);
  const keys = { live: org.liveKey, test: org.testKey };
  const clients = { live: org.client, test: org.testClient };
  const call = (mode: Mode) => ({
    mode,
    agent_key: "worker",
    session_id: "run",
    customer_id: "customer",
    config_version: "v2",
    cost_microcents: microcents(700),
  });
  for (const mode of ["live", "test"] as const) {
    await clients[mode].call("budgets.create", budget);
    lab.clock.advance(1);
    await org.addEvents(call(mode));
  }
  const samples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = sampleRequests(org.ids);
  /** Every readable answer, with a key of that mode. */
  const answers = async (mode: Mode) => {
    const read: Record<string, unknown> = {};
    for (const operation of Object.values<AnyOperation>(operations)) {
      if (operation.method !== "GET" || operation.scope === null || operation.output === undefined) continue;
      // For all agents, where one could be selected.
      const { agent_id: _, ...sample } = samples[operation.id] ?? {};
      const { path } = toRequest(operation, sample);
      const answer = await lab.send(path, { key: keys[mode] });
      read[operation.id] = [answer.status, await answer.json()];
    }
    return read;
  };
  await everythingWasFollowed();
  // Removes other things that change by themselves: deliveries are attempted, and the sample alert is resolved.
  await org.client.call("webhooks.delete", { id: org.ids.webhook });
  await eventually("the sample alert is over", async () => {
    const { alerts } = await org.client.call("alerts.list");
    return alerts.find(({ id }) => id === org.ids.alert)?.resolved_at !== null;
  });
  // The clock is frozen from here on: changes come only from the call.
  lab.clock.advance(1);
  for (const mode of ["test", "live"] as const) {
    const [same, mine] = [await answers(other[mode]), await answers(mode)];
    await org.addEvents({ ...call(mode), created_at: lab.clock.now() - 1 });
    await everythingWasFollowedAt(lab.clock.now());
    expect(await answers(other[mode])).toEqual(same);
    // The mode's own answers include it.
    const now = await answers(mode);
    const changed = Object.keys(now).filter(id => !Bun.deepEquals(now[id], mine[id]));
    expect(changed).toEqual(
      expect.arrayContaining([
        "agents.list",
        "analytics.get",
        "budgets.list",
        "budgets.status",
        "config_versions.list",
        "customers.list",
        "dashboard.get",
        "events.list",
        "sessions.list",
      ]),
    );
  }

  async function everythingWasFollowedAt(time: number): Promise<void> {
    await everythingWasFollowed();
    lab.clock.set(new Date(time).toISOString());
  }
});
