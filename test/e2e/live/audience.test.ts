import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { liveSocketHandler } from "@tollgate/control/features/live/live-channel";
import { openLazy } from "../../support/clients/open-lazy.ts";
import { startAudienceLab } from "../../support/labs/audience-lab.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const folder = temporaryFolder();
let lab: ReturnType<typeof startAudienceLab>;
beforeAll(async () => {
  lab = startAudienceLab(await databases.open("sqlite"), folder("ledger.db"));
  await lab.publish(12_000);
});
afterAll(() => lab.stop());

const untilTold = () => {
  while (lab.audience.advance(0));
};

describe("an audience", () => {
  it("LIVE-005 counts only for the last of a hundred subscriptions, and sends from its position", async () => {
    const { viewer, watching } = await lab.enter();
    lab.reader.counts = 0;
    lab.queue.pieces = 0;
    for (let made = 0; made < 100; made++) {
      lab.audience.subscribe(viewer, ["events"], { since: lab.seqOf(11_000 - made) });
    }
    lab.audience.subscribe(viewer, ["events"], { since: lab.seqOf(11_990) });
    await eventually("it is told", () => watching.of("events").length === 10);
    expect(watching.of("events").map(({ seq }) => seq)).toEqual(
      Array.from({ length: 10 }, (_, index) => lab.seqOf(11_991 + index)),
    );
    // The first had started when the others arrived.
    expect(lab.reader.counts).toBeLessThan(4);
    expect(lab.queue.pieces).toBeLessThan(10);
    await watching.close();
  });

  it("LIVE-005 stops counting for a viewer that disconnected", async () => {
    const { viewer, watching } = await lab.enter();
    const other = Promise.withResolvers<void>();
    const turn = lab.queue.run("other", () => other.promise);
    lab.reader.counts = 0;
    lab.audience.subscribe(viewer, ["events"], { since: 0 });
    viewer.ended();
    other.resolve();
    await turn;
    await eventually("nothing is under way", () => !viewer.isReading);
    expect(lab.reader.counts).toBe(0);
    await watching.close();
  });

  it("LIVE-005 seeds a state once, however often viewers subscribe, unsubscribe and reconnect", async () => {
    const states = ["topology", "agents", "totals"] as const;
    for (let time = 0; time < 5; time++) {
      const { viewer, watching } = await lab.enter();
      for (let made = 0; made < 50; made++) {
        lab.audience.subscribe(viewer, states, {});
        lab.audience.unsubscribe(viewer, states);
      }
      lab.audience.subscribe(viewer, states, {});
      await eventually("it is told all of them", () => {
        untilTold();
        return states.every(channel => watching.of(channel).length > 0);
      });
      await watching.close();
      await eventually("it has left", () => lab.audience.viewers.size === 0);
    }
    expect(lab.asked).toEqual({ days: 1, agents: 1, agentHours: 1 });
    expect(lab.faults).toEqual([]);
  });

  it("LIVE-005 serves many viewers in slices, each everything exactly once", async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => lab.enter()));
    for (const viewer of lab.entered.slice(-40)) lab.audience.subscribe(viewer, ["events"], {});
    await lab.publish(3);
    let slices = 1;
    // With a time slice of zero, a few are served in each turn.
    while (lab.audience.advance(0)) {
      slices++;
      // Events that arrive in between are sent too: now to viewers still to be served, to the others next round.
      if (slices === 4) await lab.publish(2);
    }
    expect(slices).toBeGreaterThan(8);
    await eventually("all are told", () => all.every(({ watching }) => watching.of("events").length === 5));
    for (const { watching } of all) {
      const seqs = watching.of("events").map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 5 }, (_, index) => lab.seqOf(12_001 + index)));
      await watching.close();
    }
  });

  it("LIVE-005 answers a subscription in the middle of a round with a seq after which nothing is lost", async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => lab.enter()));
    for (const viewer of lab.entered.slice(-10)) lab.audience.subscribe(viewer, ["events"], {});
    await lab.publish(1);
    expect(lab.audience.advance(0)).toBe(true);
    const last = lab.entered.at(-1);
    if (last === undefined) throw new Error("nobody entered");
    lab.audience.subscribe(last, ["events", "alerts"], { ack: true });
    untilTold();
    const watching = all.map(end => end.watching);
    await eventually("all are told", () => watching.every(each => each.of("events").length === 1));
    const asker = watching.find(each => each.acks.length > 0);
    expect(asker?.acks[0]?.seq).toBe(asker?.of("events")[0]?.seq ?? "none");
    for (const each of watching) await each.close();
  });
});

describe("a viewer that does not read", () => {
  it("LIVE-005 LIVE-008 is closed with 4408 if it has more than 10,000 events to read", async () => {
    const lazy = await openLazy(lab.url, "");
    const viewer = lab.entered.at(-1);
    if (viewer === undefined) throw new Error("nobody entered");
    lab.audience.subscribe(viewer, ["events"], {});
    for (let published = 0; viewer.isOpen && published < 40_000; published += 1000) {
      await lab.publish(1000);
      untilTold();
    }
    expect(viewer.isOpen).toBe(false);
    lazy.resume();
    await eventually("it is closed", () => lazy.isClosed);
    expect(lazy.closeCode()).toBe(4408);
  });

  it("LIVE-005 LIVE-008 is closed with 4408 if more than 1 MB is buffered for it", async () => {
    const lazy = await openLazy(lab.url, "");
    const viewer = lab.entered.at(-1);
    if (viewer === undefined) throw new Error("nobody entered");
    const text = "x".repeat(100_000);
    let sent = 0;
    while (viewer.isOpen && sent < 1000) {
      viewer.send(text);
      sent++;
    }
    expect(viewer.isOpen).toBe(false);
    lazy.resume();
    await eventually("it is closed", () => lazy.isClosed);
    expect(lazy.closeCode()).toBe(4408);
  });

  it("LIVE-005 LIVE-008 is closed if it has not read for more than 30 seconds, by a monotonic clock", async () => {
    const lazy = await openLazy(lab.url, "");
    const viewer = lab.entered.at(-1);
    if (viewer === undefined) throw new Error("nobody entered");
    while (!viewer.isFull) viewer.send("x".repeat(10_000));
    // The system's buffers may still take some of it.
    for (let more = 0; more < 50; more++) viewer.send("x".repeat(10_000));
    lab.uptime.advance(30_000);
    await lab.audience.refresh(false);
    expect(viewer.isOpen).toBe(true);
    lab.uptime.advance(1);
    await lab.audience.refresh(false);
    expect(viewer.isOpen).toBe(false);
    lazy.end();
  });

  it("LIVE-008 is dropped if it answers no ping for a minute, and may not send more than 16 KB", () => {
    expect(liveSocketHandler).toMatchObject({
      idleTimeout: 60,
      sendPings: true,
      maxPayloadLength: 16 * 1024,
      backpressureLimit: 1024 * 1024,
    });
  });
});
