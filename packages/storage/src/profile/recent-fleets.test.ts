import { describe, expect, it } from "bun:test";
import type { AgentModelProfile } from "./profile-queries.ts";
import { RecentFleets } from "./recent-fleets.ts";

const fleetOf = (size: number) => new Array<AgentModelProfile>(size).fill({} as AgentModelProfile);

function open() {
  const state = { nowMs: 0, readMs: 0, reads: 0, size: 1000, isBroken: false };
  const recent = new RecentFleets(() => state.nowMs);
  const read = async () => {
    state.reads++;
    state.nowMs += state.readMs;
    if (state.isBroken) throw new Error("broken");
    return fleetOf(state.size);
  };
  const sizeOf = async (name = "fleet") => (await recent.get(name, read)).length;
  return { state, sizeOf };
}

describe("the cache of fleet sums", () => {
  it("caches a large fleet, but not a small one", async () => {
    const { state, sizeOf } = open();
    expect([await sizeOf(), await sizeOf(), state.reads]).toEqual([1000, 1000, 1]);
    state.size = 999;
    expect([await sizeOf("small"), await sizeOf("small"), state.reads]).toEqual([999, 999, 3]);
  });

  it("reads once for all that ask at the same time", async () => {
    const { state, sizeOf } = open();
    expect(await Promise.all([sizeOf(), sizeOf(), sizeOf("other")])).toEqual([1000, 1000, 1000]);
    expect(state.reads).toBe(2);
  });

  it("returns stale sums while it reads new ones", async () => {
    const { state, sizeOf } = open();
    await sizeOf();
    state.nowMs = 10_000;
    state.size = 2000;
    expect([await sizeOf(), state.reads]).toEqual([1000, 2]);
    expect([await sizeOf(), state.reads]).toEqual([2000, 2]);
  });

  it("renews sums that take long less often", async () => {
    const { state, sizeOf } = open();
    state.readMs = 500;
    await sizeOf();
    state.nowMs = 19_999;
    await sizeOf();
    expect(state.reads).toBe(1);
    state.nowMs = 20_000;
    await sizeOf();
    expect(state.reads).toBe(2);
    state.readMs = 5000;
    await sizeOf("slow");
    state.nowMs += 34_999;
    await sizeOf("slow");
    expect(state.reads).toBe(3);
    state.nowMs += 1;
    await sizeOf("slow");
    expect(state.reads).toBe(4);
  });

  it("waits for new sums after a minute", async () => {
    const { state, sizeOf } = open();
    await sizeOf();
    state.nowMs = 60_000;
    state.size = 2000;
    expect(await sizeOf()).toBe(2000);
  });

  it("fails the next request after a refresh has failed", async () => {
    const { state, sizeOf } = open();
    await sizeOf();
    state.isBroken = true;
    state.nowMs = 10_000;
    expect(await sizeOf()).toBe(1000);
    expect(await sizeOf().catch(String)).toContain("broken");
    state.isBroken = false;
    expect(await sizeOf()).toBe(1000);
  });

  it("keeps only the newest entries", async () => {
    const { state, sizeOf } = open();
    for (let index = 0; index < 9; index++) await sizeOf(`fleet ${index}`);
    await sizeOf("fleet 1");
    expect(state.reads).toBe(9);
    await sizeOf("fleet 0");
    expect(state.reads).toBe(10);
  });
});
