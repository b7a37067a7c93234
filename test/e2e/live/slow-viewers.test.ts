import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { chat } from "../../support/call-endpoints.ts";
import { sampleSettlement } from "../../support/sample-event.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { eventually } from "../../support/test-gateway.ts";
import { printedKeys, startTollgate } from "../../support/tollgate-process.ts";
import { type ControlLab, startControlLab } from "../web/control-lab.ts";
import { next, watch } from "./watch.ts";

const folder = temporaryFolder();
let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

/** A viewer that opens, subscribes, and reads only when it is told to. */
async function openLazy(url: string, key: string, subscribe: unknown) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  socket.on("error", () => {});
  socket.write(
    [
      "GET /api/live HTTP/1.1",
      `Host: ${hostname}:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      `Authorization: Bearer ${key}`,
      "",
      "",
    ].join("\r\n"),
  );
  socket.on("data", chunk => chunks.push(Buffer.from(chunk)));
  await eventually("it is open", () => Buffer.concat(chunks).includes("\r\n\r\n"));
  const text = Buffer.from(JSON.stringify(subscribe));
  // A client's frames are masked; a mask of zeros leaves them as they are.
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
  await eventually("it is subscribed", () => Buffer.concat(chunks).includes('"channel":"totals"'));
  socket.pause();
  return {
    get isClosed() {
      return isClosed;
    },
    resume: () => socket.resume(),
    /** Ids of the events that have arrived, in order. */
    events: () =>
      [
        ...Buffer.concat(chunks)
          .toString("latin1")
          .matchAll(/"channel":"events","seq":\d+,"data":\{"id":"([^"]+)"/g),
      ].map(match => match[1] ?? ""),
    end: () => socket.destroy(),
  };
}

async function append(orgId: string, count: number, more: { session_id?: string } = {}): Promise<string[]> {
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
  it("LIVE-005 is sent less, misses no event when it reads on, and delays nobody", async () => {
    const { id, readKey, addEvents } = await lab.organization();
    await addEvents({});
    const lazy = await openLazy(lab.url, readKey, { subscribe: ["events", "totals"] });
    const quick = await watch(lab.url, { key: readKey });
    await next(quick, "totals", () => quick.subscribe(["events", "totals"]));
    const startedAt = performance.now();
    // More than the system's own buffers hold; less than a viewer may be behind.
    const ids = await append(id, 9000);
    await eventually("the quick one has them all", () => quick.of("events").length === 9000, 20_000);
    const quickMs = performance.now() - startedAt;
    expect(lazy.isClosed).toBe(false);
    lazy.resume();
    await eventually("the lazy one has them all", () => lazy.events().length >= 9000, 20_000);
    expect(lazy.events()).toEqual(ids);
    // One more, to a viewer that has caught up.
    const [last] = await append(id, 1);
    await eventually("it is current again", () => lazy.events().at(-1) === last);
    expect(quick.of("events").map(({ data }) => data.id)).toEqual([...ids, last ?? ""]);
    // Alone it takes about as long; a viewer that held it up would do so for its whole patience.
    expect(quickMs).toBeLessThan(15_000);
    lazy.end();
    await quick.close();
  }, 60_000);

  it("LIVE-005 LIVE-008 is closed (4408) when it is more than 10,000 events behind, and others go on", async () => {
    const { id, readKey, addEvents } = await lab.organization();
    await addEvents({});
    const lazy = await openLazy(lab.url, readKey, { subscribe: ["events", "totals"] });
    const quick = await watch(lab.url, { key: readKey });
    await next(quick, "totals", () => quick.subscribe(["events", "totals"]));
    await append(id, 16_000);
    await eventually("the quick one has them all", () => quick.of("events").length === 16_000, 30_000);
    const [last] = await append(id, 1);
    await eventually("and goes on", () => quick.of("events").at(-1)?.data.id === last);
    lazy.resume();
    await eventually("the lazy one is closed", () => lazy.isClosed, 10_000);
    expect(lazy.events().length).toBeLessThan(16_000);
    await quick.close();
  }, 90_000);

  it("LIVE-005 delays no call of the gateway, however many such viewers there are", async () => {
    const tollgate = startTollgate(folder("data"));
    const gateway = await tollgate.ready();
    const key = printedKeys(tollgate.stdout).test[0] ?? "";
    const call = async () => {
      const startedAt = performance.now();
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
      return performance.now() - startedAt;
    };
    const median = async () => {
      const times: number[] = [];
      for (let made = 0; made < 300; made++) times.push(await call());
      return times.sort((a, b) => a - b)[150] ?? Number.NaN;
    };
    const alone = await median();
    const lazy = await Promise.all(
      Array.from({ length: 100 }, () =>
        openLazy(tollgate.addressOf("web"), key, { subscribe: ["events", "totals"] }),
      ),
    );
    const watched = await median();
    // The planes share this machine's cores, so some of it is felt; a call that waited for a viewer would hang.
    expect(watched).toBeLessThan(alone + 50);
    for (const viewer of lazy) viewer.end();
    await tollgate.stop();
  }, 60_000);
});
