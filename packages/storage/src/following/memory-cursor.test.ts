import { describe, expect, it } from "bun:test";
import { followInMemory, noting } from "../../../../test/support/labs/event-recorder.ts";
import { followerLabs } from "../../../../test/support/labs/follower-lab.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { MemoryCursor } from "./memory-cursor.ts";

const openLab = followerLabs();

describe("a follower with its position in memory", () => {
  it("consumes every event once, from its start position", async () => {
    const lab = await openLab("sqlite");
    await lab.append(4);
    const seen: number[] = [];
    const follower = followInMemory(lab.reader, 2, { batchSize: 3, apply: noting(seen) });
    await follower.catchUp();
    await lab.append(2);
    await Promise.all([follower.catchUp(), follower.catchUp()]);
    expect(seen).toEqual([3, 4, 5, 6]);
  });

  it("consumes a backlog in batches up to its consumer's largest", async () => {
    const lab = await openLab("sqlite");
    await lab.append(40);
    const sizes: number[] = [];
    const follower = followInMemory(lab.reader, 0, {
      batchSize: 3,
      largestBatch: 10,
      apply({ events }) {
        sizes.push(events.length);
        return {};
      },
    });
    await follower.catchUp();
    expect(sizes[0]).toBe(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(40);
  });

  it("is not moved back by a batch or skip that began before another move", async () => {
    const lab = await openLab("sqlite");
    await lab.append(6);
    const cursor = new MemoryCursor(async () => LEDGER_START);
    const from = await cursor.position();
    cursor.moveTo(lab.reader.newestPosition());
    const step = { to: lab.reader.positionAt(2) ?? LEDGER_START, isEmpty: false };
    expect(await cursor.advance(from, () => step)).toBeNull();
    cursor.skip(from, step.to);
    expect(cursor.at.seq).toBe(6);
  });

  it("keeps its position when a batch fails", async () => {
    const lab = await openLab("sqlite");
    await lab.append(2);
    let isBroken = true;
    const follower = followInMemory(lab.reader, 0, {
      apply() {
        if (isBroken) throw new Error("broken");
        return {};
      },
    });
    await expect(follower.catchUp()).rejects.toThrow("broken");
    isBroken = false;
    expect(await follower.catchUp()).toBe(2);
  });
});
