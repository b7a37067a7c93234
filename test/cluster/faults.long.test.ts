import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createClient } from "@tollgate/sdk/client";
import { type ClusterLab, type ClusterNode, startClusterLab } from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let lab: ClusterLab;
let nodes: ClusterNode[];
beforeAll(async () => {
  lab = await startClusterLab(inFolder);
  nodes = await Promise.all(["node-1", "node-2"].map(name => lab.startNode(name)));
}, 600_000);
afterAll(() => lab.stop());

/** Calls both nodes in turns until it is ended; resolves with what was answered. */
function load() {
  const served: string[] = [];
  const refused: number[] = [];
  let isOver = false;
  const caller = async (node: ClusterNode) => {
    while (!isOver) {
      const { status, eventId } = await lab.call(node);
      if (eventId !== null) served.push(eventId);
      else refused.push(status);
    }
  };
  const running = Promise.all(nodes.map(caller));
  return {
    served,
    refused,
    async end() {
      isOver = true;
      await running;
    },
  };
}

async function expectRecordedOnce(ids: readonly string[]): Promise<void> {
  await eventually("every answered call is recorded", async () => {
    const recorded = new Set((await lab.recorded()).map(({ id }) => id));
    return ids.every(id => recorded.has(id));
  });
  const recorded = (await lab.recorded()).map(({ id }) => id);
  expect(new Set(recorded).size).toBe(recorded.length);
}

async function kill(pidOf: () => number | null): Promise<void> {
  await eventually("it runs", () => pidOf() !== null);
  process.kill(pidOf() ?? 0, "SIGKILL");
}

/** Resolves with the event's id once the node has served a call. */
async function servedBy(node: ClusterNode): Promise<string> {
  let served: string | null = null;
  await eventually(`${node.name} serves a call`, async () => {
    served = (await lab.call(node)).eventId;
    return served !== null;
  });
  return served ?? "";
}

describe("a cluster under load", () => {
  it.each(["cut", "stall"] as const)(
    "REL-010 REL-018 %s: without PostgreSQL no call is delayed or lost, and all events arrive afterwards",
    async fault => {
      const calls = load();
      await eventually("calls are served", () => calls.served.length > 10);
      lab.network[fault]();
      const before = calls.served.length;
      await eventually("calls go on", () => calls.served.length > before + 40);
      lab.network.open();
      await calls.end();
      expect(calls.refused).toEqual([]);
      await expectRecordedOnce(calls.served);
    },
    600_000,
  );

  it("REL-010 without PostgreSQL a gateway's metrics are read with a key from another machine", async () => {
    const [node] = nodes;
    lab.network.cut();
    try {
      // Not addressed as localhost, so it might come from anywhere.
      const read = (key: string) =>
        fetch(`${node?.url}/metrics`, {
          headers: { host: "tollgate.example", authorization: `Bearer ${key}` },
        });
      await eventually("it shows that PostgreSQL is away", async () =>
        /^svc_gateway_database_up 0$/m.test(await (await read(lab.key)).text()),
      );
      expect((await read("sk_live_unknown")).status).toBe(401);
      // What the runtime itself says of its connections is JSON lines, too.
      const logged = () => node?.tollgate.stderr.split("\n").filter(line => line !== "") ?? [];
      await eventually("the runtime says that it cannot listen", () =>
        logged().some(line => line.includes("LISTEN")),
      );
      expect(logged().filter(line => !line.startsWith('{"time":'))).toEqual([]);
    } finally {
      lab.network.open();
    }
  });

  it("REL-017 loses and doubles nothing when sidecars, gateways and control planes are killed, and the work goes on elsewhere", async () => {
    const another = await lab.startControl("another-control");
    const calls = load();
    for (let round = 0; round < 3; round++) {
      for (const node of nodes) {
        const before = calls.served.length;
        await kill(() => node.tollgate.sidecarPid());
        await eventually("calls go on", () => calls.served.length > before + 5);
        await kill(() => node.tollgate.gatewayPid());
        await servedBy(node);
        await eventually("calls go on", () => calls.served.length > before + 20);
      }
    }
    await calls.end();
    await expectRecordedOnce(calls.served);

    // The supervisor too, so that it does not come back: the other one has to take over.
    await lab.control.end();
    const last: string[] = [];
    for (const node of nodes) last.push(await servedBy(node));
    const client = createClient({ baseUrl: another.addressOf("web"), apiKey: lab.key, retries: 0 });
    await eventually("the other control plane shows new calls", async () => {
      const { events } = await client.call("events.list", { limit: 10 });
      return last.every(id => events.some(event => event.id === id));
    });
    const verified = await lab.svcOf("another-control", "ledger", "verify");
    expect([verified.exitCode, verified.stdout.startsWith("ok")]).toEqual([0, true]);
  }, 600_000);
});
