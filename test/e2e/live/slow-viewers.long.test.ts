import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { chat } from "../../support/clients/call-endpoints.ts";
import { openLazy } from "../../support/clients/open-lazy.ts";
import { next, watch } from "../../support/clients/watch.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { printedKeys, startTollgate } from "../../support/processes/tollgate-process.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

/** Long enough that a few thousand events exceed the system's buffers. */
const LONG = "v".repeat(2000);

async function append(orgId: string, count: number, more: Partial<Event> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 100) {
    const settlements = Array.from({ length: Math.min(100, count - done) }, () =>
      sampleSettlement(crypto.randomUUID(), { org_id: orgId, created_at: lab.clock.now(), ...more }),
    );
    await lab.ledger.append(settlements, []);
    ids.push(...settlements.map(({ event }) => event.id));
  }
  return ids;
}

describe("a viewer that does not read", () => {
  it("LIVE-005 gets fewer states, misses no event when it reads again, and delays no other", async () => {
    const { id, readKey, addEvents } = await lab.organization();
    await addEvents({});
    const lazy = await openLazy(lab.url, readKey, { subscribe: ["events", "totals"] });
    const quick = await watch(lab.url, { key: readKey });
    await next(quick, "totals", () => quick.subscribe(["events", "totals"]));
    // More than the system's buffers hold. Few and long: a viewer that reads nothing for too long is closed.
    const ids = await append(id, 2500, { config_version: LONG.repeat(4) });
    await eventually("the quick one has them all", () => quick.of("events").length === 2500);
    // By now nothing can be sent to the slow viewer: of ten more states it gets at most the last.
    const states = () => quick.of("totals").length;
    const enough = states() + 10;
    while (states() < enough) {
      const before = states();
      ids.push(...(await append(id, 1)));
      await eventually("the new state is told", () => states() > before);
    }
    expect(lazy.isClosed).toBe(false);
    lazy.resume();
    await eventually("the lazy one has them all", () => lazy.events().length >= ids.length);
    expect(lazy.events()).toEqual(ids);
    // While it did not read, states were held back; once it had caught up, it got the newest.
    await eventually(
      "the slow one has the newest totals",
      () => lazy.events().length >= ids.length && lazy.totals() > 1,
    );
    const [few, many] = [lazy.totals(), quick.of("totals").length];
    console.log(`live: ${few} totals to a viewer that did not read, ${many} to one that did`);
    expect(few).toBeLessThan(many - 5);
    // One more, to a viewer that has caught up.
    const [last] = await append(id, 1);
    await eventually("it is current again", () => lazy.events().at(-1) === last);
    expect(quick.of("events").map(({ data }) => data.id)).toEqual([...ids, last ?? ""]);
    lazy.end();
    await quick.close();
  });

  it("LIVE-005 LIVE-008 is closed (4408) if it is more than 10,000 events behind, and others continue", async () => {
    const { id, readKey, addEvents } = await lab.organization();
    await addEvents({});
    const lazy = await openLazy(lab.url, readKey, { subscribe: ["events", "totals"] });
    const quick = await watch(lab.url, { key: readKey });
    await next(quick, "totals", () => quick.subscribe(["events", "totals"]));
    await append(id, 16_000);
    await eventually("the quick one has them all", () => quick.of("events").length === 16_000);
    const [last] = await append(id, 1);
    await eventually("it continues", () => quick.of("events").at(-1)?.data.id === last);
    lazy.resume();
    await eventually("the lazy one is closed", () => lazy.isClosed);
    expect(lazy.events().length).toBeLessThan(16_000);
    await quick.close();
  }, 600_000);

  it("LIVE-005 delays no gateway call, however many such viewers there are", async () => {
    const tollgate = startTollgate(folder("data"));
    onTestFinished(() => tollgate.end());
    const gateway = await tollgate.ready();
    const key = printedKeys(tollgate.stdout).test[0] ?? "";
    const call = async () => {
      const answer = await fetch(gateway + chat.path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "x-provider-key": "k",
          "content-type": "application/json",
        },
        body: JSON.stringify(chat.body),
      });
      await answer.text();
      expect(answer.status).toBe(200);
    };
    const calls = async (count: number) => {
      for (let made = 0; made < count; made++) await call();
    };
    /** Thousands of other events, a thousand at a time. */
    const fill = async (thousands: number) => {
      for (let sent = 0; sent < thousands; sent++) {
        const event = { model: "gpt-4o-mini", input_tokens: 1, output_tokens: 1, config_version: LONG };
        const answer = await fetch(`${gateway}/v1/events`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ events: new Array(1000).fill(event) }),
        });
        expect(await answer.json()).toMatchObject({ accepted: 1000 });
      }
    };
    const web = tollgate.addressOf("web");
    const subscribe = ["events", "totals"] as const;
    const lazy = await Promise.all(Array.from({ length: 30 }, () => openLazy(web, key, { subscribe })));
    const quick = await watch(web, { key });
    await next(quick, "totals", () => quick.subscribe(subscribe));
    // Enough to fill their buffers, then the same again while they are full.
    await fill(4);
    await Promise.all([calls(300), fill(4)]);
    // All calls were answered while no viewer read; what they read later is complete.
    const [one] = lazy;
    one?.resume();
    await eventually("the quick one has them all", () => quick.of("events").length === 8300);
    await eventually("it has read on", () => one?.events().length === 8300);
    await quick.close();
    for (const viewer of lazy) viewer.end();
    await tollgate.stop();
  }, 600_000);
});
