import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createClient } from "@tollgate/sdk/client";
import { COUNTING_SINCE } from "@tollgate/storage/shared-limits/redis-burst-counter";
import { chat } from "../support/clients/call-endpoints.ts";
import {
  type Answer,
  type ClusterLab,
  type ClusterNode,
  startClusterLab,
} from "../support/labs/cluster-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { eventually } from "../support/waiting/eventually.ts";

const inFolder = temporaryFolder();
let redis: RedisServer;
let lab: ClusterLab;
let nodes: ClusterNode[];
beforeAll(async () => {
  redis = await startRedis();
  // As if it had counted for an hour, so that it knows every call of the last minute.
  await redis.send("SET", [COUNTING_SINCE, String(Date.now() - 3_600_000)]);
  lab = await startClusterLab(inFolder, { SVC_REDIS_URL: redis.url });
  nodes = await Promise.all(["node-1", "node-2", "node-3"].map(name => lab.startNode(name)));
}, 600_000);
afterAll(async () => {
  await lab.stop();
  await redis.stop();
});

const served = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

/** An organization that every node knows with its limits. */
async function newOrganization(limit: string, value: number) {
  const name = `org ${crypto.randomUUID()}`;
  const created = await lab.svc("org", "create", "--name", name, "--tier", "enterprise", "--json");
  const { id, test_key } = created.json() as { id: string; test_key: string };
  await lab.svc("org", "update", id, limit, String(value));
  const authorization = { authorization: `Bearer ${test_key}` };
  for (const node of nodes) {
    await eventually("the node knows the limit", async () => {
      // A call without a body is refused, and uses up nothing.
      const answer = await fetch(node.url + chat.path, { method: "POST", headers: authorization });
      return Number(answer.headers.get("ratelimit-limit") ?? Number.NaN) <= value;
    });
  }
  return {
    client: createClient({ baseUrl: lab.control.addressOf("web"), apiKey: test_key, retries: 0 }),
    async call(name: string, times: number): Promise<Answer[]> {
      const node = nodes.find(one => one.name === name);
      if (node === undefined) throw new Error(`there is no ${name}`);
      const answers: Answer[] = [];
      for (let call = 0; call < times; call++) answers.push(await lab.call(node, authorization));
      return answers;
    },
  };
}

async function metric(node: ClusterNode | undefined, name: string): Promise<number> {
  const text = await (await fetch(`${node?.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

describe("a burst limit of three nodes", () => {
  it("REL-011 holds over all of them, and one may use all of it", async () => {
    for (const node of nodes) {
      await eventually(
        "the node knows the others",
        async () => (await metric(node, "svc_gateway_live_nodes")) === 3,
      );
      await eventually("the node uses Redis", async () => (await metric(node, "svc_gateway_redis_up")) === 1);
    }
    const decidedByShares = async () => {
      const late = await Promise.all(nodes.map(node => metric(node, "svc_gateway_burst_fallbacks_total")));
      return late.reduce((sum, calls) => sum + calls, 0);
    };
    // Where Redis is late for a call, as on a busy machine, the node's share decides, and bounds it for another minute.
    await eventually("one node may use all of the limit", async () => {
      const before = await decidedByShares();
      const organization = await newOrganization("--burst-per-minute", 30);
      const first = served(await organization.call("node-1", 40));
      const others =
        served(await organization.call("node-2", 20)) + served(await organization.call("node-3", 20));
      expect(first + others).toBeLessThanOrEqual(30 + (await decidedByShares()) - before);
      return first === 30;
    });
  }, 600_000);

  it("REL-019 without Redis each node admits its share, and control planes say that Redis is down", async () => {
    expect((await lab.client.call("health.get", {})).services.cache).not.toBe("disabled");
    await redis.kill();
    const live = () => Promise.all(nodes.map(node => metric(node, "svc_gateway_live_nodes")));
    const areAllLive = async () => (await live()).every(count => count === 3);
    let organization = await newOrganization("--burst-per-minute", 30);
    // Where a node's report is late, as on a busy machine, the others divide the limit among themselves.
    await eventually("each node admits its share", async () => {
      if (!(await areAllLive())) return false;
      organization = await newOrganization("--burst-per-minute", 30);
      const admitted: number[] = [];
      for (const { name } of nodes) admitted.push(served(await organization.call(name, 20)));
      if (!(await areAllLive())) return false;
      expect(admitted).toEqual([10, 10, 10]);
      return true;
    });
    await eventually("the control plane shows the refused calls of all nodes", async () => {
      const { by_reason } = await organization.client.call("refusals.counts", {});
      return by_reason.some(({ reason, call_count }) => reason === "rate_limited" && call_count === 30);
    });
    expect((await organization.client.call("refusals.list", {})).refusals.length).toBeGreaterThan(20);
    expect((await lab.client.call("health.get", {})).services.cache).toBe("down");
  }, 600_000);
});
