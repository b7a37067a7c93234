import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { next, watch } from "../../support/clients/watch.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const nonsense = [
  "",
  "hello",
  "null",
  "[]",
  "{}",
  "1e999",
  '{"subscribe": "events"}',
  '{"subscribe": []}',
  '{"subscribe": ["secrets"]}',
  '{"subscribe": ["events"], "since": -1}',
  '{"subscribe": ["events"], "since": 1.5}',
  '{"subscribe": ["events"], "since": ""}',
  '{"subscribe": ["events"], "organization_id": "x"}',
  '{"subscribe": ["events"], "ack": 1}',
  '{"unsubscribe": ["events"], "ack": true}',
  '{"subscribe": ["events"], "__proto__": {"since": 1}}',
  '{"unsubscribe": ["events"], "subscribe": ["events"]}',
  `{"subscribe": ${"[".repeat(5000)}${"]".repeat(5000)}}`,
  new Uint8Array([0xff, 0x00, 0x80]),
];

describe("a viewer's messages", () => {
  it("LIVE-008 answers an invalid message with an error, and continues", async () => {
    const { readKey } = await lab.organization();
    for (const message of nonsense) {
      const watching = await watch(lab.url, { key: readKey });
      watching.socket.send(message);
      await eventually(`an error for ${message}`, () => watching.errors.length === 1);
      await next(watching, "totals", () => watching.subscribe(["totals"]));
      expect(watching.closed).toBeNull();
      await watching.close();
    }
  });

  it("LIVE-002 LIVE-008 acknowledges a subscription on request with its channels and its seq, and no other", async () => {
    const { readKey, addEvents } = await lab.organization();
    await addEvents({});
    await lab.isPublished();
    const strict = await watch(lab.url, { key: readKey });
    const before = await next(strict, "totals", () => strict.askFor(["totals", "events"]));
    const watching = await watch(lab.url, { key: readKey });
    await watching.subscribe(["events", "alerts"]);
    expect(watching.acks).toEqual([{ subscribed: ["events", "alerts"], seq: before.seq }]);
    const told = await next(watching, "events", () => addEvents({}));
    // A viewer's `since` is the start of its subscription.
    await watching.subscribe(["events"], before.seq);
    await eventually("it is told again", () => watching.of("events").length === 2);
    expect(watching.acks[1]).toEqual({ subscribed: ["events"], seq: before.seq });
    // Without one, it starts at the connection's position.
    await watching.subscribe(["events"]);
    expect(watching.acks[2]?.seq).toBe(told.seq);
    expect([strict.acks, strict.errors, watching.errors]).toEqual([[], [], []]);
    await strict.close();
    await watching.close();
  });

  it("LIVE-008 tolerates five of them and closes at the sixth (4400), or at one that is too long", async () => {
    const { readKey } = await lab.organization();
    const watching = await watch(lab.url, { key: readKey });
    for (let sent = 0; sent < 6; sent++) watching.socket.send("nonsense");
    expect(await watching.ended()).toBe(4400);
    expect(watching.errors).toHaveLength(5);
    const long = await watch(lab.url, { key: readKey });
    long.socket.send("x".repeat(17 * 1024));
    expect([1006, 1009]).toContain((await long.ended()) ?? 0);
  });

  it("LIVE-008 accepts ten subscriptions with since within a minute, and answers the next with an error", async () => {
    const { readKey, addEvents } = await lab.organization();
    await addEvents({});
    const watching = await watch(lab.url, { key: readKey });
    const { seq } = await next(watching, "totals", () => watching.subscribe(["totals"]));
    for (let sent = 0; sent < 10; sent++) watching.askFor(["events"], seq);
    await next(watching, "events", () => addEvents({}));
    expect(watching.errors).toEqual([]);
    watching.askFor(["alerts"], seq);
    await eventually("it is refused", () => watching.errors.length === 1);
    // The previous subscription continues.
    await next(watching, "events", () => addEvents({}));
    for (let sent = 0; sent < 5; sent++) watching.askFor(["events"], seq);
    expect(await watching.ended()).toBe(4400);
  });

  it("LIVE-008 sends the states of a burst of subscriptions once, not a hundred times", async () => {
    const { readKey, addEvents } = await lab.organization();
    const watching = await watch(lab.url, { key: readKey });
    await next(watching, "totals", () => {
      for (let sent = 0; sent < 100; sent++) watching.askFor(["totals", "events"]);
    });
    await next(watching, "events", () => addEvents({}));
    expect(watching.of("totals").length).toBeLessThan(10);
    for (let sent = 0; sent < 100; sent++) watching.askFor(["totals"]);
    expect(await watching.ended()).toBe(4400);
  });
});
