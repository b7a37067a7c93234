import { describe, expect, it } from "bun:test";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { repeatUntil } from "./repeat-until.ts";

describe("repeatUntil", () => {
  it("ends at the signal, even during a long pause", async () => {
    const stopping = new AbortController();
    let done = 0;
    const ended = repeatUntil(stopping.signal, HOUR_MS, async () => done++, fail);
    await new Promise(resolve => setTimeout(resolve, 0));
    stopping.abort();
    await ended;
    expect(done).toBe(1);
  });

  it("does not start after the signal", async () => {
    await repeatUntil(AbortSignal.abort(), 0, fail, fail);
  });

  it("repeats immediately on `again`, and ends on `done`", async () => {
    let done = 0;
    const work = async () => (++done < 50 ? "again" : "done");
    await repeatUntil(new AbortController().signal, HOUR_MS, work, fail);
    expect(done).toBe(50);
  });

  it("reports a fault and retries without waiting for a long pause", async () => {
    const faults: unknown[] = [];
    let done = 0;
    const work = async () => {
      if (++done === 1) throw new Error("away");
      return "done";
    };
    await repeatUntil(new AbortController().signal, HOUR_MS, work, fault => faults.push(fault));
    expect([done, faults]).toEqual([2, [new Error("away")]]);
  });
});

function fail(): never {
  throw new Error("unexpected call");
}
