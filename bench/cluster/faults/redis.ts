/** Redis fails. Only burst limits use it: they are divided among the nodes until it has counted for a minute again. */
import { ControlStore } from "@tollgate/storage/config/control-store";
import { eventually } from "../../../test/support/waiting/eventually.ts";
import type { Condition } from "../../gateway/conditions.ts";
import { type Cluster, knowsKey } from "../cluster.ts";
import { sendCall } from "../send-call.ts";
import type { Fault, Scene } from "./fault.ts";

/** Of an organization of its own: the load has no limit. */
const LIMIT = 120;
const HOUR_MS = 3_600_000;

export const redisKilled: Fault = redis("redis-killed", "Redis killed", {
  begin: ({ cluster }) => cluster.redis.kill(),
  end: ({ cluster }) => cluster.redis.restart(),
});

export const redisEmptied: Fault = redis("redis-emptied", "Redis emptied", {
  begin: async ({ cluster }) => void (await cluster.redis.send("FLUSHALL", [])),
  end: async () => {},
});

export const redisStalled: Fault = redis("redis-stalled", "Redis stalled", {
  begin: async ({ cluster }) => cluster.redisNetwork.stall(),
  end: async ({ cluster }) => cluster.redisNetwork.open(),
});

interface Parts {
  begin(scene: Scene): Promise<void>;
  end(scene: Scene): Promise<void>;
}

function redis(name: string, title: string, { begin, end }: Parts): Fault {
  return {
    name,
    title: ({ seconds }) => `${title}, ${seconds} s`,
    async strike(scene) {
      const { cluster, load, options } = scene;
      await cluster.redisCountsSince(Date.now() - HOUR_MS);
      const key = await limitedKey(cluster);
      // Half of the limit, as a load balancer would divide it; then everything that is admitted.
      let admitted = await callAll(cluster, `${load.name}-before`, key, LIMIT / 2);
      await begin(scene);
      const endsMs = performance.now() + options.seconds * 1000;
      admitted += await callAll(cluster, `${load.name}-during`, key, LIMIT * 2);
      await Bun.sleep(Math.max(0, endsMs - performance.now()));
      await end(scene);
      return [judge(title, admitted, cluster.nodes.length)];
    },
  };
}

async function limitedKey({ postgres, nodes }: Cluster): Promise<string> {
  const store = await ControlStore.open({ kind: "postgres", url: postgres.url });
  const { id } = await store.createOrganization("limited", "enterprise", Date.now());
  await store.updateOrganization(id, { burst_per_minute: LIMIT });
  const { key } = await store.createKey(id, "live", "write", Date.now());
  await store.close();
  for (const node of nodes) await eventually(`${node.name} knows the key`, () => knowsKey(node, key));
  return key;
}

/** Resolves with the number of calls that were admitted. */
async function callAll({ nodes }: Cluster, name: string, key: string, calls: number): Promise<number> {
  const answers = await Promise.all(
    nodes.map(async ({ url }, index) => {
      let admitted = 0;
      for (let number = index; number < calls; number += nodes.length) {
        const { status } = await sendCall(url, { id: `${name}-${number}`, key });
        if (status === 200) admitted += 1;
      }
      return admitted;
    }),
  );
  return answers.reduce((sum, admitted) => sum + admitted, 0);
}

function judge(title: string, admitted: number, nodes: number): Condition {
  const share = LIMIT / nodes;
  return {
    text: `${title}: a burst limit holds within one node's share`,
    verdict: admitted <= LIMIT + share ? "PASS" : "FAIL",
    numbers: `${admitted} calls admitted of a limit of ${LIMIT} a minute, a share is ${share}`,
  };
}
