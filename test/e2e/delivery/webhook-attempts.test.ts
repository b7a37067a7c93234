import { afterAll, describe, expect, it } from "bun:test";
import { createServer, type Server } from "node:net";
import { webhookSchedule } from "@tollgate/core/delivery/schedule";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type DeliveryLab, SECRET, startDeliveryLab } from "../../support/labs/delivery-lab.ts";
import { webhookReceivers } from "../../support/servers/webhook-receivers.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const receiverOf = webhookReceivers();
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

const HOUR = 3_600_000;

/** One delivery to one receiver, until its first attempt is recorded. */
async function firstTry(url: string, lab: DeliveryLab) {
  const webhook = await lab.webhook(url);
  const [made] = await lab.enqueue(webhook);
  const id = made?.id ?? "";
  const sender = lab.startSender({ jitter: () => 1 });
  await lab.untilAttempts(id, 1);
  await sender.stop();
  const [attempt] = await lab.attempts(id);
  return { webhook, attempt, delivery: await lab.delivery(id), row: await lab.findWebhook(webhook) };
}

/** Accepts a connection and resets it immediately. */
function resetting(): Promise<string> {
  return new Promise(resolve => {
    const server: Server = createServer(socket => socket.resetAndDestroy());
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    });
    servers.push(server);
  });
}

describe("one attempt", () => {
  it.each([200, 201, 204, 299])("HOOK-008 an answer of %i ends the delivery", async status => {
    const lab = await startDeliveryLab(await databases.open("sqlite"));
    const receiver = receiverOf(SECRET, () => new Response(status === 204 ? null : "thanks", { status }));
    const { attempt, delivery, row } = await firstTry(receiver.url, lab);
    expect([delivery.status, delivery.tries, delivery.finished_at]).toEqual([
      "delivered",
      1,
      lab.clock.now(),
    ]);
    expect(attempt).toMatchObject({ number: 1, http_status: status, error: null });
    expect(row.failing_since).toBeNull();
    expect(receiver.received).toHaveLength(1);
  });

  it.each([300, 302, 400, 404, 429, 500, 503])(
    "HOOK-008 an answer of %i is a failed attempt and is retried",
    async status => {
      const lab = await startDeliveryLab(await databases.open("sqlite"));
      const elsewhere = receiverOf(SECRET);
      const receiver = receiverOf(
        SECRET,
        () => new Response("no\u0007\u0000\nway", { status, headers: { location: elsewhere.url } }),
      );
      const { attempt, delivery, row } = await firstTry(receiver.url, lab);
      expect([delivery.status, delivery.tries]).toEqual(["pending", 1]);
      expect(delivery.next_attempt_at).toBe(lab.clock.now() + 5000);
      expect(attempt?.http_status).toBe(status);
      expect(attempt?.error).toContain(String(status));
      expect(attempt?.answer).toBe("no way");
      expect(row.failing_since).toBe(lab.clock.now());
      // A redirect is not followed.
      expect(elsewhere.received).toEqual([]);
    },
  );

  it("HOOK-008 a refused connection, a broken one and a timeout are failed attempts with a clear error", async () => {
    const silent = receiverOf(SECRET, () => new Promise<Response>(() => {}));
    for (const [url, words, timeoutMs] of [
      ["http://127.0.0.1:9/", "onnection", 60_000],
      [await resetting(), "onnection", 60_000],
      [silent.url, "no answer within", 150],
    ] as const) {
      const lab = await startDeliveryLab(await databases.open("sqlite"), { timeoutMs });
      const { attempt, delivery } = await firstTry(url, lab);
      expect([delivery.status, attempt?.http_status]).toEqual(["pending", null]);
      expect(attempt?.error?.toLowerCase()).toContain(words.toLowerCase());
    }
  });

  it("an answer of 10 MB is read and stored only partly", async () => {
    const lab = await startDeliveryLab(await databases.open("sqlite"));
    const receiver = receiverOf(SECRET, () => new Response("y".repeat(10_000_000)));
    const { attempt, delivery } = await firstTry(receiver.url, lab);
    expect(delivery.status).toBe("delivered");
    expect(attempt?.answer?.length).toBeLessThanOrEqual(1024);
  });

  it("HOOK-008 an answer with an endless body counts by its status", async () => {
    // Long enough for the head to arrive, even on a busy machine.
    const lab = await startDeliveryLab(await databases.open("sqlite"), { timeoutMs: 15_000 });
    const endless = () => new ReadableStream({ start: stream => stream.enqueue("I begin") });
    const receiver = receiverOf(SECRET, () => new Response(endless(), { status: 202 }));
    const { attempt, delivery } = await firstTry(receiver.url, lab);
    expect(delivery.status).toBe("delivered");
    expect(attempt).toMatchObject({ http_status: 202, answer: "I begin", error: null });
  });

  it("SEC-005 HOOK-012 a private address is refused at sending, and the log says so", async () => {
    const lab = await startDeliveryLab(await databases.open("sqlite"), { allowedPrivateTargets: "" });
    const receiver = receiverOf(SECRET);
    const { attempt, delivery } = await firstTry(receiver.url, lab);
    expect(receiver.received).toEqual([]);
    expect(attempt).toMatchObject({
      http_status: null,
      error: expect.stringContaining("SVC_ALLOWED_PRIVATE_TARGETS"),
    });
    expect(delivery.status).toBe("pending");
  });

  it.each([
    ["120", 120_000],
    ["1", 5000],
  ])("HOOK-010 Retry-After: %s delays the next attempt by %i ms", async (header, waitMs) => {
    const lab = await startDeliveryLab(await databases.open("sqlite"));
    const receiver = receiverOf(
      SECRET,
      () => new Response("", { status: 503, headers: { "retry-after": header } }),
    );
    const { delivery } = await firstTry(receiver.url, lab);
    expect(delivery.next_attempt_at).toBe(lab.clock.now() + waitMs);
  });
});

for (const engine of systemEngines) {
  describe(`many attempts on ${engine}`, () => {
    it("HOOK-009 are at most ten within 75 hours, each with the same id and bytes, and then the delivery has failed", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = receiverOf(SECRET, () => new Response("", { status: 500 }));
      const webhook = await lab.webhook(receiver.url);
      const [made] = await lab.enqueue(webhook);
      const start = lab.clock.now();
      const sender = lab.startSender({ jitter: () => 1 });
      for (const [index, delay] of webhookSchedule.entries()) {
        lab.clock.advance(delay);
        sender.wake();
        await lab.untilAttempts(made?.id ?? "", index + 1);
      }
      expect(lab.clock.now() - start).toBeLessThanOrEqual(75 * HOUR);
      lab.clock.advance(100 * HOUR);
      await lab.until(webhook, "failed", 1);
      await sender.stop();
      expect(receiver.received).toHaveLength(10);
      expect(new Set(receiver.received.map(({ id, body }) => `${id} ${body}`))).toEqual(
        new Set([`${made?.id} ${made?.body}`]),
      );
      // Each attempt is signed again, at its own time.
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
      expect((await lab.attempts(made?.id ?? "")).map(({ number }) => number)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
    });

    it("HOOK-009 HOOK-010 end 75 hours after the first, however long a receiver asks to wait, and a replay gets the same time again", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const headers = { "retry-after": String(24 * 3600) };
      const receiver = receiverOf(SECRET, () => new Response("", { status: 503, headers }));
      const webhook = await lab.webhook(receiver.url);
      const [made] = await lab.enqueue(webhook);
      const id = made?.id ?? "";
      const sender = lab.startSender();
      for (const round of [1, 2]) {
        for (let tries = 1; tries <= 4; tries++) {
          sender.wake([webhook]);
          await lab.untilAttempts(id, (round - 1) * 4 + tries);
          await eventually("it is on record", async () => (await lab.delivery(id)).tries === tries);
          expect((await lab.delivery(id)).status).toBe(tries < 4 ? "pending" : "failed");
          if (tries < 4) lab.clock.advance(24 * HOUR);
        }
        if (round === 2) break;
        // Otherwise it would be disabled after five days.
        await lab.db.updateTable("webhooks").set({ failing_since: null }).execute();
        const again = { status: "pending", tries: 0, first_tried_at: null, finished_at: null };
        await lab.db
          .updateTable("deliveries")
          .set({ ...again, next_attempt_at: lab.clock.now() })
          .where("id", "=", id)
          .execute();
      }
      await sender.stop();
      expect(receiver.received).toHaveLength(8);
    });

    it("HOOK-008 REL-008 a receiver that was down for hours gets everything, and recovers", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      let isDown = true;
      const receiver = receiverOf(SECRET, () => (isDown ? new Response("", { status: 502 }) : undefined));
      const webhook = await lab.webhook(receiver.url);
      const sender = lab.startSender({ jitter: () => 0.5 });
      const made = await lab.enqueue(webhook, 30);
      for (const delay of webhookSchedule.slice(0, 5)) {
        lab.clock.advance(delay);
        sender.wake();
        const tries = webhookSchedule.indexOf(delay) + 1;
        await eventually(`all were tried ${tries} times`, async () => {
          const rows = await lab.db.selectFrom("deliveries").select("tries").execute();
          return rows.every(row => row.tries === tries);
        });
      }
      expect((await lab.findWebhook(webhook)).failing_since).not.toBeNull();
      isDown = false;
      lab.clock.advance(5 * HOUR);
      await lab.until(webhook, "delivered", 30);
      await sender.stop();
      const arrived = receiver.received.slice(-30);
      expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
      expect((await lab.findWebhook(webhook)).failing_since).toBeNull();
      expect(lab.faults).toEqual([]);
    });

    it("REL-008 if a sender dies between sending and recording, the next one sends the same id and bytes", async () => {
      const lab = await startDeliveryLab(await databases.open(engine));
      const receiver = receiverOf(SECRET);
      const webhook = await lab.webhook(receiver.url);
      const [made] = await lab.enqueue(webhook);
      // It sends, and never gets the answer.
      const lost = Promise.withResolvers<never>();
      const first = lab.startSender({
        shutdownGraceMs: 0,
        transports: {
          ...lab.transports,
          webhook: async delivery => {
            await lab.transports.webhook(delivery);
            return lost.promise;
          },
        },
      });
      await eventually("it was sent", () => receiver.received.length === 1);
      await first.stop();
      expect(await lab.statuses(webhook)).toEqual({ pending: 1 });
      const second = lab.startSender();
      await lab.until(webhook, "delivered", 1);
      await second.stop();
      const same = { id: made?.id ?? "", body: made?.body ?? "" };
      expect(receiver.received.map(({ id, body }) => ({ id, body }))).toEqual([same, same]);
    });
  });
}
