import { describe, expect, it } from "bun:test";
import { followAndRecord, record } from "../../../../test/support/labs/event-recorder.ts";
import { followerLabs } from "../../../../test/support/labs/follower-lab.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { nextTurn } from "../engine/next-turn.ts";
import type { FollowerClock } from "./follower.ts";

const openLab = followerLabs();
const POLL_MS = 1;

/** Its time passes only while the follower sleeps, and when the test says so. */
class TestClock implements FollowerClock {
  reads = 0;
  #nowMs = 0;

  nowMs(): number {
    this.reads++;
    return this.#nowMs;
  }

  get timeMs(): number {
    return this.#nowMs;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  readonly sleep = async (ms: number) => {
    this.pass(ms);
    await nextTurn();
  };
}

/** A follower on a clock of its own; the times of its batches and of its questions whether events are needed. */
async function follow(consumer: { largestBatch?: number; isUnneeded?: boolean }) {
  const lab = await openLab("sqlite");
  const clock = new TestClock();
  const timesMs: number[] = [];
  let readsAtLast = 0;
  const note = () => {
    timesMs.push(clock.timeMs);
    readsAtLast = clock.reads;
  };
  const { largestBatch, isUnneeded = false } = consumer;
  const follower = followAndRecord(
    lab.database,
    lab.reader,
    {
      pollMs: POLL_MS,
      ...(largestBatch !== undefined && { largestBatch }),
      async hasWork() {
        if (isUnneeded) note();
        return !isUnneeded;
      },
      async apply(batch, transaction) {
        note();
        await record(batch, transaction);
        return {};
      },
    },
    { clock },
  );
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  return {
    clock,
    timesMs,
    /** Appends an event, waits until it is consumed and the rest after it has begun, and says when it was consumed. */
    async consumeOne(): Promise<number> {
      await lab.append(1);
      const seq = lab.ids.length;
      await eventually(
        `event ${seq} is consumed`,
        () => follower.position === seq && clock.reads > readsAtLast,
      );
      return timesMs.at(-1) ?? Number.NaN;
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
}

describe.each([
  ["a consumer of large batches", { largestBatch: 100 }, 150],
  ["a consumer that finds out that it needs no events", { isUnneeded: true }, 250],
] as const)("after its events, %s", (_, consumer, restMs) => {
  it(`rests for ${restMs} ms before it reads again`, async () => {
    const lab = await follow(consumer);
    const first = await lab.consumeOne();
    const second = await lab.consumeOne();
    const third = await lab.consumeOne();
    await lab.stop();
    // A wake-up without events may add a poll, but no second rest.
    expect(second - first).toBeWithin(restMs, restMs + 50);
    expect(third - second).toBeWithin(restMs, restMs + 50);
    expect(lab.timesMs).toHaveLength(3);
  });

  it("does not delay the first event after a quiet time", async () => {
    const lab = await follow(consumer);
    await lab.consumeOne();
    for (const quietMs of [restMs + 1, 60_000]) {
      lab.clock.pass(quietMs);
      const arrivedMs = lab.clock.timeMs;
      expect((await lab.consumeOne()) - arrivedMs).toBeLessThanOrEqual(POLL_MS);
    }
    await lab.stop();
  });
});

it("a consumer of small batches does not rest", async () => {
  const lab = await follow({});
  const first = await lab.consumeOne();
  expect((await lab.consumeOne()) - first).toBeLessThan(50);
  await lab.stop();
});
