import { describe, expect, it } from "bun:test";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { HeadroomQueue, type Patience } from "./headroom-queue.ts";

const org = { orgId: "org", mode: "live" as const, group: "agent" };

describe("HeadroomQueue", () => {
  it("BUD-016 admits calls in order of arrival, as soon as there is headroom", async () => {
    const room = new HeadroomQueue(10_000, 10_000);
    let places = 0;
    const order: number[] = [];
    const waiting = Array.from({ length: 5 }, (_, number) =>
      room.wait(org, () => {
        if (places === 0) return null;
        places--;
        order.push(number);
        return number;
      }),
    );
    room.wake("org", "live");
    expect(order).toEqual([]);
    places = 2;
    room.wake("other", "live");
    room.wake("org", "test");
    expect(order).toEqual([]);
    room.wake("org", "live");
    expect(order).toEqual([0, 1]);
    places = 3;
    room.wake("org", "live");
    expect(await Promise.all(waiting)).toEqual([0, 1, 2, 3, 4]);
  });

  it("BUD-016 decides when the patience is over", async () => {
    const room = new HeadroomQueue(1, 10_000);
    expect(await room.wait(org, patience => (patience === "patient" ? null : "in"))).toBe("in");
    const refused = room.wait(org, patience => {
      if (patience !== "patient") throw new Error("no room");
      return null;
    });
    expect(refused).rejects.toThrow("no room");
    await refused.catch(() => {});
  });

  it("BUD-016 a call whose patience is over waits for an answer that is on its way, and is decided by it", async () => {
    const room = new HeadroomQueue(1, 10_000);
    const bank: { state: "asked" | "granted" | "refused" } = { state: "asked" };
    let tries = 0;
    const waitForBank = () =>
      room.wait(org, patience => {
        if (patience === "until answered") tries++;
        if (bank.state === "asked") return null;
        if (bank.state === "refused") throw new Error("no headroom");
        return "in";
      });
    const waiting = waitForBank();
    await eventually("the patience is over", () => tries === 1);
    room.wake("org", "live");
    bank.state = "granted";
    room.wake("org", "live");
    expect(await waiting).toBe("in");
    expect(tries).toBe(3);

    bank.state = "asked";
    const refused = waitForBank();
    await eventually("the patience is over", () => tries === 4);
    bank.state = "refused";
    room.wake("org", "live");
    expect(await refused.catch(String)).toContain("no headroom");
  });

  it("BUD-016 does not wait forever for answers", async () => {
    const room = new HeadroomQueue(1, 1);
    const seen: Patience[] = [];
    const refused = room.wait(org, patience => {
      seen.push(patience);
      if (patience === "over") throw new Error("no headroom");
      return null;
    });
    expect(await refused.catch(String)).toContain("no headroom");
    expect(seen).toEqual(["until answered", "over"]);
  });

  it("BUD-016 tries only the first calls of a herd without headroom, and every other group", async () => {
    const room = new HeadroomQueue(10_000, 10_000);
    const state = { places: 0, tries: 0 };
    const wait = (group: string) =>
      room.wait({ ...org, group }, () => {
        state.tries++;
        return state.places-- > 0 ? group : null;
      });
    const herd = Array.from({ length: 500 }, () => wait("herd"));
    const other = wait("other");
    room.wake("org", "live");
    expect(state.tries).toBeLessThan(100);
    state.places = 501;
    room.wake("org", "live");
    expect(await Promise.all([...herd, other])).toEqual([...herd.map(() => "herd"), "other"]);
  });

  it("does not retry recursively", async () => {
    const room = new HeadroomQueue(10_000, 10_000);
    let tries = 0;
    const waiting = room.wait(org, () => {
      tries++;
      room.wake("org", "live");
      return tries;
    });
    room.wake("org", "live");
    expect(await waiting).toBe(1);
  });
});
