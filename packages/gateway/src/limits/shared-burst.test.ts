import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { tiers } from "@tollgate/core/limits/tiers";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import type { BurstCounter } from "@tollgate/storage/shared-limits/burst-counter";
import { COUNTING_SINCE, RedisBurstCounter } from "@tollgate/storage/shared-limits/redis-burst-counter";
import { type RedisServer, startRedis } from "../../../../test/support/servers/redis.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { CallLimits } from "./call-limits.ts";
import { SharedBurst } from "./shared-burst.ts";

/** A busy machine must not make an answer late. */
const PATIENT_MS = 300_000;
const limits = { ...tiers.enterprise, burstPerMinute: 30 };

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 600_000);
afterAll(() => redis.stop());

interface Options {
  readonly nodes?: number;
  readonly counter?: BurstCounter | null;
  readonly patienceMs?: number;
}

/** One of several gateways, as far as burst limits are concerned. */
function startNode({
  nodes = 3,
  counter = new RedisBurstCounter(redis.url, PATIENT_MS),
  patienceMs = PATIENT_MS,
}: Options) {
  const clock = { uptimeMs: 0 };
  const told: boolean[] = [];
  const stopping = new AbortController();
  let fallbacks = 0;
  const shared = new SharedBurst({
    counter,
    liveNodes: () => nodes,
    newSlot: () => crypto.randomUUID(),
    uptimeMs: () => clock.uptimeMs,
    changed: isCounting => told.push(isCounting),
    fellBack: () => fallbacks++,
    patienceMs,
  });
  const running = shared.run(stopping.signal);
  const callLimits = new CallLimits(() => 0, shared);
  return {
    shared,
    clock,
    told,
    callLimits,
    fallbacks: () => fallbacks,
    /** null: admitted. */
    async call(orgId: string): Promise<TollgateError | null> {
      const org = { orgId, mode: "live", limits } as const;
      const now = () => clock.uptimeMs;
      try {
        const grant = await callLimits.askForBurst(org, now);
        try {
          callLimits.check(org, now(), { burst: grant, month: null });
        } catch (fault) {
          grant?.giveBack();
          throw fault;
        }
        callLimits.take(org, now());
        return null;
      } catch (fault) {
        if (fault instanceof TollgateError) return fault;
        throw fault;
      }
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

type Node = ReturnType<typeof startNode>;

/** As if Redis had counted for an hour, so that it knows every call of the last minute. */
const countingForAnHour = () => redis.send("SET", [COUNTING_SINCE, String(Date.now() - 60 * MINUTE_MS)]);

async function withNodes(options: readonly Options[], run: (nodes: Node[]) => Promise<void>): Promise<void> {
  const nodes = options.map(startNode);
  try {
    for (const { shared } of nodes) {
      if (shared.hasCounter) await eventually("the node reaches Redis", () => shared.isCounting);
    }
    await run(nodes);
  } finally {
    for (const node of nodes) await node.stop();
  }
}

const admitted = (answers: readonly unknown[]) => answers.filter(answer => answer === null).length;

describe("with Redis", () => {
  it("REL-011 LIM-007 three nodes together admit exactly the limit, wherever the calls arrive", async () => {
    await countingForAnHour();
    await withNodes([{}, {}, {}], async nodes => {
      const crowd = Array.from({ length: 120 }, (_, index) => nodes[index % 3]?.call("crowd"));
      expect(admitted(await Promise.all(crowd))).toBe(30);
      const alone: unknown[] = [];
      for (let call = 0; call < 40; call++) alone.push(await nodes[0]?.call("alone"));
      expect(admitted(alone)).toBe(30);
    });
  }, 600_000);

  it("LIM-006 a refusal states the limit and the calls of all nodes, and admitted calls count down to it", async () => {
    await countingForAnHour();
    await withNodes([{}, {}], async ([first, second]) => {
      for (let call = 0; call < 29; call++) await first?.call("told");
      expect(await second?.call("told")).toBeNull();
      const org = { orgId: "told", mode: "live", limits } as const;
      expect(second?.callLimits.headers(org, 0)["ratelimit-remaining"]).toBe("0");
      const refusal = await second?.call("told");
      expect(refusal?.body).toMatchObject({
        error: "rate limit of 30 calls a minute exceeded",
        limit: 30,
        current: 30,
      });
      expect(Number(refusal?.body.retry_after)).toBeWithin(1, 61);
    });
  }, 600_000);

  it("a call that is refused for another reason gives its slot back", async () => {
    await countingForAnHour();
    await withNodes([{}, {}], async ([first, second]) => {
      for (let call = 0; call < 29; call++) await first?.call("returned");
      const grant = await first?.shared.ask({ orgId: "returned", mode: "live" }, 30);
      expect(grant?.answer).toMatchObject({ isAdmitted: true, used: 30 });
      grant?.giveBack();
      await eventually("another node gets the slot", async () => (await second?.call("returned")) === null);
    });
  }, 600_000);

  it("REL-019 emptied: until Redis knows the last minute again, each node keeps to its share too", async () => {
    await countingForAnHour();
    await withNodes([{}, {}, {}], async nodes => {
      for (let call = 0; call < 40; call++) await nodes[0]?.call("emptied");
      await redis.send("FLUSHALL", []);
      const after: unknown[] = [];
      for (let call = 0; call < 60; call++) after.push(await nodes[call % 3]?.call("emptied"));
      // The first node has used more than its share already; the other two have theirs.
      expect(admitted(after)).toBe(20);
    });
  }, 600_000);

  it("REL-019 killed: equal shares without a wait, reported once; a minute after its return the limit is exact again", async () => {
    await countingForAnHour();
    await withNodes([{}, {}, {}], async nodes => {
      await redis.kill();
      for (const node of nodes) {
        const answers: unknown[] = [];
        for (let call = 0; call < 25; call++) answers.push(await node.call("killed"));
        expect([admitted(answers), node.shared.isCounting]).toEqual([10, false]);
        expect(node.fallbacks()).toBe(25);
        expect(node.told).toEqual([true, false]);
      }
      await redis.restart();
      await countingForAnHour();
      for (const { shared } of nodes) await eventually("the node is back", () => shared.isCounting);
      const [first] = nodes;
      expect(await first?.call("killed")).not.toBeNull();
      for (const { clock } of nodes) clock.uptimeMs += MINUTE_MS;
      const again: unknown[] = [];
      for (let call = 0; call < 40; call++) again.push(await first?.call("killed"));
      expect(admitted(again)).toBe(30);
      expect(first?.told).toEqual([true, false, true]);
    });
  }, 600_000);

  it("REL-019 a call that was admitted by a share and is not counted: for a minute the share bounds all calls", async () => {
    await countingForAnHour();
    const real = new RedisBurstCounter(redis.url, PATIENT_MS);
    let isLate = false;
    const late = Promise.withResolvers<void>();
    const counter: BurstCounter = {
      reconnect: () => real.reconnect(),
      disconnect: () => real.disconnect(),
      giveBack: (scope, slot) => real.giveBack(scope, slot),
      async take(scope, slot, limit) {
        const answer = await real.take(scope, slot, limit);
        if (isLate) await late.promise;
        return answer;
      },
    };
    await withNodes([{ counter, patienceMs: 50 }, {}], async ([node, other]) => {
      for (let call = 0; call < 30; call++) await other?.call("late");
      isLate = true;
      // Redis refuses it, but its answer is late.
      expect(await node?.call("late")).toBeNull();
      isLate = false;
      late.resolve();
      await eventually("the late answer is there", () => node?.shared.ownLimit(30) === 10);
      if (node) node.clock.uptimeMs += MINUTE_MS;
      expect(node?.shared.ownLimit(30)).toBe(30);
    });
  }, 600_000);

  it("LIM-007 if the clock of Redis was set back, calls count for a minute and no longer", async () => {
    await countingForAnHour();
    await withNodes([{}], async ([node]) => {
      const ahead = String(Date.now() + 60 * MINUTE_MS);
      const calls = Array.from({ length: 30 }, (_, call) => [ahead, `call ${call}`]).flat();
      await redis.send("ZADD", ["tollgate:burst:live set-back", ...calls]);
      const refusal = await node?.call("set-back");
      expect(refusal?.body).toMatchObject({ limit: 30, current: 30 });
      expect(Number(refusal?.body.retry_after)).toBeWithin(1, 61);
    });
  }, 600_000);

  it("REL-019 stalled: a call waits for a few milliseconds, and after three late answers not at all", async () => {
    await countingForAnHour();
    await withNodes([{ patienceMs: 5 }], async ([node]) => {
      redis.freeze();
      try {
        for (let call = 0; call < 3; call++) await node?.call("stalled");
        expect([node?.shared.isCounting, node?.fallbacks()]).toEqual([false, 3]);
        expect(node?.shared.ask({ orgId: "stalled", mode: "live" }, 30)).toBeNull();
      } finally {
        redis.thaw();
      }
    });
  }, 600_000);
});

describe("without Redis", () => {
  it("REL-011 each node admits an equal share, and at least one call", async () => {
    for (const [nodes, share] of [
      [3, 10],
      [4, 7],
      [1, 30],
      [0, 30],
      [100, 1],
    ] as const) {
      const node = startNode({ nodes, counter: null });
      const answers: (TollgateError | null)[] = [];
      for (let call = 0; call < 31; call++) answers.push(await node.call("shares"));
      expect([nodes, admitted(answers)]).toEqual([nodes, share]);
      if (nodes !== 3) continue;
      expect(answers.at(-1)?.body).toMatchObject({
        error: "rate limit of 30 calls a minute exceeded: 10 of them are this gateway's share",
        limit: 10,
        current: 10,
      });
    }
  });
});
