import { afterAll, describe, expect, it } from "bun:test";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { Deadlines, type Watch } from "./deadlines.ts";

const deadlines = new Deadlines(50);
afterAll(() => deadlines.close());

function watch() {
  const state = { silences: 0, heardAt: 0 };
  const watch = deadlines.watch({
    fellSilent() {
      state.silences++;
      state.heardAt = performance.now();
    },
  });
  return { state, watch };
}

describe("deadlines", () => {
  it("reports silence once, and not before the timeout", async () => {
    const { state, watch: listening } = watch();
    const from = performance.now();
    listening.listen();
    await eventually("silence is reported", () => state.silences > 0);
    expect(state.heardAt - from).toBeGreaterThanOrEqual(50);
    const another = watch();
    another.watch.listen();
    await eventually("another silence", () => another.state.silences > 0);
    expect(state.silences).toBe(1);
  });

  it("does not count time before it listens, while it is paused, or after it stopped", async () => {
    const notYet = watch();
    const paused = watch();
    paused.watch.listen();
    paused.watch.pause();
    const stopped = watch();
    stopped.watch.listen();
    stopped.watch.stop();
    const later = watch();
    later.watch.listen();
    await eventually("a later silence", () => later.state.silences > 0);
    expect([notYet, paused, stopped].map(({ state }) => state.silences)).toEqual([0, 0, 0]);
  });

  it("MON-019 marks a paused watch, but not one that only listened or has not started", async () => {
    const notYet = watch();
    const paused = watch();
    paused.watch.listen();
    paused.watch.pause();
    const later = watch();
    later.watch.listen();
    await eventually("a later silence", () => later.state.silences > 0);
    expect([notYet, paused, later].map(({ watch }) => watch.wasPaused)).toEqual([false, true, false]);
  });

  it("restarts with every chunk", async () => {
    const kept = watch();
    kept.watch.listen();
    const keepAlive = setInterval(() => kept.watch.listen(), 5);
    const other = watch();
    other.watch.listen();
    await eventually("the other's silence", () => other.state.silences > 0);
    clearInterval(keepAlive);
    expect(kept.state.silences).toBe(0);
  });

  it("skips a watch that an earlier listener stopped", async () => {
    const reported: string[] = [];
    const first: Watch = deadlines.watch({
      fellSilent() {
        reported.push("first");
        second.stop();
      },
    });
    const second: Watch = deadlines.watch({
      fellSilent() {
        reported.push("second");
        first.stop();
      },
    });
    first.listen();
    second.listen();
    await eventually("silence is reported", () => reported.length > 0);
    const later = watch();
    later.watch.listen();
    await eventually("a later silence", () => later.state.silences > 0);
    expect(reported).toHaveLength(1);
  });

  it("does not mistake a stall of this process for the provider's silence", async () => {
    const { state, watch: listening } = watch();
    listening.listen();
    const from = performance.now();
    while (performance.now() - from < 150);
    await eventually("the timer ran again", () => performance.now() - from > 160);
    expect(state.silences).toBe(0);
    await eventually("silence is reported", () => state.silences > 0);
  });
});
