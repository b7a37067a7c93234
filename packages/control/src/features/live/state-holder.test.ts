import { describe, expect, it } from "bun:test";
import { FairQueue } from "./fair-queue.ts";
import type { LiveState } from "./live-state.ts";
import { StateHolder } from "./state-holder.ts";

describe("StateHolder", () => {
  it("LIVE-005 stops seeding a state at its next piece once nobody watches it", async () => {
    const queue = new FairQueue();
    const seedings = new FairQueue();
    const faults: unknown[] = [];
    const begun = Promise.withResolvers<void>();
    let pieces = 0;
    const state: LiveState = {
      pauseMs: 0,
      isUrgent: false,
      async seed(piece) {
        for (let made = 0; made < 1000; made++) {
          await piece(async () => {
            pieces++;
            begun.resolve();
            await new Promise(resolve => setImmediate(resolve));
          });
        }
        return 0;
      },
      add() {},
      refresh() {},
      changes: () => null,
      snapshot: () => [],
    };
    const holder = new StateHolder({
      create: () => state,
      publishedUpTo: () => 0,
      read: () => [],
      inTurn: { seeding: work => seedings.run("a", work), piece: work => queue.run("a", work) },
      onFault: fault => faults.push(fault),
    });
    await begun.promise;
    holder.drop();
    // The scope's next seeding starts when the last one has ended.
    await seedings.run("a", () => {});
    expect(pieces).toBeLessThan(5);
    expect([holder.state, faults]).toEqual([null, []]);
  });
});
