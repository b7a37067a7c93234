import { describe, expect, it } from "bun:test";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { InFlight, type InterruptibleCall } from "./in-flight.ts";

const none = () => 0;

describe("calls in flight", () => {
  it("waits for every call, and for the last byte of every answer", async () => {
    const inFlight = new InFlight<InterruptibleCall>();
    const call = {
      index: -1,
      interrupt() {
        throw new Error("was interrupted");
      },
    };
    inFlight.enter(call);
    let answering = 1;
    let looks = 0;
    let isDrained = false;
    const drained = inFlight
      .drain(60_000, () => {
        looks++;
        return answering;
      })
      .then(() => {
        isDrained = true;
      });
    expect(inFlight.draining).toBe(true);
    inFlight.leave(call);
    expect(inFlight.size).toBe(0);
    looks = 0;
    await eventually("it looked at the answers again", () => looks > 1);
    expect(isDrained).toBe(false);
    answering = 0;
    await drained;
  });

  it("REL-013 interrupts the remaining calls when the patience is over, and waits until they settle", async () => {
    const inFlight = new InFlight<InterruptibleCall>();
    let isSettled = false;
    const call = {
      index: -1,
      interrupt() {
        setImmediate(() => {
          isSettled = true;
          inFlight.leave(call);
        });
      },
    };
    inFlight.enter(call);
    await inFlight.drain(10, none);
    expect(isSettled).toBe(true);
  });

  it("drains immediately if no call is in flight", async () => {
    await new InFlight<InterruptibleCall>().drain(60_000, none);
  });
});
