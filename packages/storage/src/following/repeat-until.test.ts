import { describe, expect, it } from "bun:test";
import { repeatUntil } from "./repeat-until.ts";

const HOUR_MS = 3_600_000;

describe("work that repeats", () => {
  it("ends with the signal, in the middle of a long pause too", async () => {
    const stopping = new AbortController();
    let done = 0;
    const ended = repeatUntil(stopping.signal, HOUR_MS, async () => done++, fail);
    await new Promise(resolve => setTimeout(resolve, 0));
    stopping.abort();
    await ended;
    expect(done).toBe(1);
  });

  it("is not begun after the signal", async () => {
    await repeatUntil(AbortSignal.abort(), 0, fail, fail);
  });

  it("goes on at once, and ends, when the work says so", async () => {
    let done = 0;
    const work = async () => (++done < 50 ? "at once" : "done");
    await repeatUntil(new AbortController().signal, HOUR_MS, work, fail);
    expect(done).toBe(50);
  });

  it("tells a fault and tries again, though the pause is long", async () => {
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
  throw new Error("this is not to happen");
}
