import { COUNTING_SINCE } from "@tollgate/storage/shared-limits/redis-burst-counter";
import { freshPostgres } from "../../../test/support/servers/postgres.ts";
import { startRedis } from "../../../test/support/servers/redis.ts";
import { temporaryDirectory } from "../../kit/temporary-directory.ts";
import type { RunningTarget, Target } from "./target.ts";
import { addBudget, makeOrganization, startProgram, targetOf } from "./tollgate.ts";

const HOUR_MS = 3_600_000;
const SECRET = "a secret that is long enough";

/** One of several gateways, with the two budgets of `tollgateWithBudgets`: it ships its ledger and has allowances of both. */
export const tollgateNode: Target = {
  name: "node",
  title: "Tollgate, one of several gateways, with two budgets that apply to every call",
  fewer: 1,
  start: upstream => startNode(upstream, {}),
};

/** The same with burst limits that are counted in Redis: a call waits for its answer. */
export const tollgateNodeWithRedis: Target = {
  name: "redis",
  title: "Tollgate, one of several gateways, with burst limits counted in Redis",
  fewer: 1,
  start: async upstream => {
    const redis = await startRedis(temporaryDirectory("redis"));
    // As if it knew all calls since then: limits are divided for a minute after it was started.
    await redis.send("SET", [COUNTING_SINCE, String(Date.now() - HOUR_MS)]);
    const node = await startNode(upstream, { SVC_REDIS_URL: `redis://127.0.0.1:${redis.port}` });
    return {
      ...node,
      stop: async () => {
        await node.stop();
        await redis.stop();
      },
    };
  },
};

async function startNode(
  upstream: RunningTarget,
  settings: Readonly<Record<string, string>>,
): Promise<RunningTarget> {
  const database = await freshPostgres();
  const shared = { ...settings, SVC_DATABASE_URL: database.url };
  const control = await startProgram(upstream, { ...shared, SVC_ROLE: "control", SVC_SECRET: SECRET });
  const { key } = await makeOrganization(control.env);
  for (const period of ["monthly", "daily"]) await addBudget(control.addressOf("web"), key, period);
  const gateway = await startProgram(upstream, { ...shared, SVC_ROLE: "gateway", SVC_NODE_ID: "bench" });
  const target = await targetOf(gateway.program, gateway.addressOf("gateway"), key);
  // It runs on another machine; here it would compete with the gateway for two cores.
  await control.program.stop();
  return {
    ...target,
    stop: async () => {
      await target.stop();
      await database.drop();
    },
  };
}
