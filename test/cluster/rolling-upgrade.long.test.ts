import { afterAll, beforeAll, expect, it, onTestFinished } from "bun:test";
import { createClient } from "@tollgate/sdk/client";
import { type ClusterLab, type ClusterNode, startClusterLab } from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let lab: ClusterLab;
beforeAll(async () => {
  lab = await startClusterLab(inFolder);
}, 600_000);
afterAll(() => lab.stop());

const PAUSE_MS = 25;
const agents = ["with-budget", "without-budget"] as const;

interface Counts {
  /** Unless a load balancer has taken the node out. */
  node: ClusterNode | null;
  readonly served: Record<(typeof agents)[number], number>;
}

/** Calls every node, with a budget and without. */
function load(nodes: readonly ClusterNode[]) {
  const served: string[] = [];
  const refused: { readonly name: string; readonly agent: string; readonly status: number }[] = [];
  const places = nodes.map((node): Counts => ({ node, served: { "with-budget": 0, "without-budget": 0 } }));
  let isOver = false;
  const caller = async (place: Counts, agent: (typeof agents)[number]) => {
    while (!isOver) {
      // Machines take a while to start, and all calls of that time are read later.
      await Bun.sleep(PAUSE_MS);
      const { node } = place;
      if (node === null) continue;
      const { status, eventId } = await lab.call(node, { "x-agent-id": agent });
      if (eventId !== null) {
        served.push(eventId);
        place.served[agent]++;
        // Status 0 is a process that was killed.
      } else if (status !== 0) refused.push({ name: node.name, agent, status });
    }
  };
  const running = Promise.all(places.flatMap(place => agents.map(agent => caller(place, agent))));
  return {
    served,
    refused,
    places,
    /** At every node, with the budget and without. */
    async goOn(when: string) {
      const counts = () => places.flatMap(place => agents.map(agent => place.served[agent]));
      const before = counts();
      await eventually(`calls go on ${when}`, () =>
        counts().every((count, index) => count >= (before[index] ?? 0) + 5),
      );
    },
    async end() {
      isOver = true;
      await running;
    },
  };
}

it("machines are upgraded one after the other: older ones go on beside newer ones, and nothing is lost", async () => {
  const names = ["node-1", "node-2"];
  const nodes = await Promise.all(names.map(name => lab.startNode(name)));
  const standby = await lab.startControl("standby");
  const first = nodes[0] ?? expect.unreachable();
  await lab.call(first, { "x-agent-id": "with-budget" });
  let agentId: string | undefined;
  await eventually("the agent is listed", async () => {
    const { agents } = await lab.client.call("agents.list", { limit: 100 });
    agentId = agents.find(({ agent_key }) => agent_key === "with-budget")?.id;
    return agentId !== undefined;
  });
  const budget = await lab.client.call("budgets.create", {
    period: "monthly",
    limit_microcents: 1_000_000_000,
    enforcement_mode: "hard_block",
    agent_id: agentId ?? "",
  });

  const calls = load(nodes);
  onTestFinished(() => calls.end());
  await calls.goOn("before the upgrade");

  // The first newer control plane migrates PostgreSQL, under load.
  const newer = await lab.startControl("newer", "next");
  const client = createClient({ baseUrl: newer.addressOf("web"), apiKey: lab.key, retries: 0 });
  await calls.goOn("after the migration");
  const last = calls.served.at(-1);
  for (const one of [lab.client, client]) {
    await eventually("a call of an older gateway is shown by both control planes", async () => {
      return (await lab.recorded(one)).some(({ id }) => id === last);
    });
  }

  // The leader is older. Once it has gone, the newer one leads and not the older one that has waited for longer.
  await lab.control.end();
  await eventually("the older standby leaves the background work to the newer one", () =>
    standby.stderr.includes("control planes of that version do the background work"),
  );
  await eventually("the newer one leads", async () => {
    const metrics = await (await fetch(`${newer.addressOf("web")}/metrics`)).text();
    return /^svc_control_leads_jobs 1$/m.test(metrics);
  });

  // An older sidecar and gateway that restart before they are upgraded go on, too.
  for (const pidOf of [first.tollgate.sidecarPid, first.tollgate.gatewayPid]) {
    await eventually("it runs", () => pidOf() !== null);
    process.kill(pidOf() ?? 0, "SIGKILL");
    await calls.goOn("after a restart");
  }
  // What is changed at a newer control plane reaches older gateways.
  const before = calls.refused.length;
  await client.call("budgets.update", { id: budget.id, limit_microcents: 1 });
  for (const { name } of nodes) {
    await eventually(`${name} refuses calls beyond the new limit`, () => {
      return calls.refused.slice(before).some(one => one.name === name && one.agent === "with-budget");
    });
  }
  await client.call("budgets.update", { id: budget.id, limit_microcents: 1_000_000_000 });
  await calls.goOn("with the higher limit");

  // An older control plane that restarts says why it does not start.
  standby.kill("SIGTERM");
  await standby.ended();
  const outdated = lab.startRefused("standby");
  expect(await outdated.ended()).not.toBe(0);
  expect(outdated.stderr).toContain("it was written by a newer Tollgate");

  for (const place of calls.places) {
    const { name, tollgate } = place.node ?? expect.unreachable();
    place.node = null;
    expect(await tollgate.stop()).toBe(0);
    place.node = await lab.startNode(name, "next");
    await calls.goOn(`after the upgrade of ${name}`);
  }
  await calls.end();
  expect(calls.refused.filter(({ agent }) => agent === "without-budget")).toEqual([]);
  expect(new Set(calls.refused.map(({ status }) => status))).toEqual(new Set([429]));

  const recorded = async () => (await lab.recorded(client)).map(({ id }) => id);
  await eventually("every answered call is recorded", async () => {
    const ids = new Set(await recorded());
    return calls.served.every(id => ids.has(id));
  });
  const ids = await recorded();
  expect(new Set(ids).size).toBe(ids.length);
  const verified = [await lab.svcOfNext("newer", "control", "ledger", "verify")];
  for (const { name } of nodes) verified.push(await lab.svcOfNext(name, "gateway", "ledger", "verify"));
  for (const { exitCode, stdout, stderr } of verified) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^ok: (\d+) events.*\n\1 events compared with PostgreSQL/);
  }
}, 600_000);
