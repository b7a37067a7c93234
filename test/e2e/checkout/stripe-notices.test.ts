import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { systemEngines } from "../../support/full-size.ts";
import {
  grantsOf,
  insertStripeCheckout,
  sessionOf,
  startCheckoutLab,
  stripeNotice,
  stripeSettings,
  UNIT_PRICE_CENTS,
} from "../../support/labs/checkout-lab.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";

const databases = controlDatabases();
const ARRIVED = "checkout.session.async_payment_succeeded";

for (const engine of systemEngines) {
  describe(`Stripe's notices, on ${engine}`, () => {
    let lab: Awaited<ReturnType<typeof startCheckoutLab>>;
    beforeAll(async () => {
      lab = await startCheckoutLab(await databases.place(engine), { stripe: stripeSettings() });
    });
    afterAll(() => lab.stop());

    async function opened() {
      const org = await lab.organization();
      return { org, id: await insertStripeCheckout(lab.db, org.id, lab.clock.now()) };
    }

    it("LOOP-028 grant what was paid for once, even if repeated and concurrent", async () => {
      const { org, id } = await opened();
      const session = sessionOf(id, { amount_subtotal: 3 * UNIT_PRICE_CENTS });
      const statuses = await Promise.all(Array.from({ length: 6 }, () => lab.notify(session)));
      expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
      expect(await lab.notify(session)).toBe(200);
      expect(await grantsOf(lab.db, org.id)).toEqual([
        { mode: "live", count: 3, reference: `stripe cs_test_${id}`, granted_by: "stripe" },
      ]);
      const page = await (await lab.send(`/checkout/${id}`)).text();
      expect(page).toContain("3 verifications");
    });

    it("LOOP-028 grant once in any order", async () => {
      const unpaid = { payment_status: "unpaid" };
      for (const order of [
        ["completed", "arrived"],
        ["arrived", "completed"],
        ["arrived", "expired", "completed", "arrived"],
      ]) {
        const { org, id } = await opened();
        for (const what of order) {
          const status =
            what === "completed"
              ? await lab.notify(sessionOf(id, unpaid))
              : what === "arrived"
                ? await lab.notify(sessionOf(id), { type: ARRIVED })
                : await lab.notify(sessionOf(id, unpaid), { type: "checkout.session.expired" });
          expect(status).toBe(200);
        }
        expect([order, (await grantsOf(lab.db, org.id)).map(({ count }) => count)]).toEqual([order, [1]]);
      }
    });

    it("grant nothing before the money has arrived, or if it never does", async () => {
      const { org, id } = await opened();
      expect(await lab.notify(sessionOf(id, { payment_status: "unpaid" }))).toBe(200);
      const failed = { type: "checkout.session.async_payment_failed" };
      expect(await lab.notify(sessionOf(id, { payment_status: "unpaid" }), failed)).toBe(200);
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
      expect(await (await lab.send(`/checkout/${id}`)).text()).toContain("not confirmed yet");
    });

    it("LOOP-028 are refused with a wrong signature, a changed body, an old time, or none", async () => {
      const { org, id } = await opened();
      const session = sessionOf(id);
      expect(await lab.notify(session, { secret: "whsec_of_somebody_else" })).toBe(400);
      expect(await lab.notify(session, { at: lab.clock.now() - 301_000 })).toBe(400);
      const notice = await stripeNotice(session, { at: lab.clock.now() });
      const changed = {
        ...notice,
        body: notice.body.replace(`"amount_subtotal":500`, `"amount_subtotal":5000`),
      };
      expect(changed.body).not.toBe(notice.body);
      expect((await lab.send("/webhooks/stripe", changed)).status).toBe(400);
      for (const signature of ["", "t=1,v1=", "v1=00", "garbage"]) {
        const headers = { ...notice.headers, "stripe-signature": signature };
        expect((await lab.send("/webhooks/stripe", { ...notice, headers })).status).toBe(400);
      }
      const unsigned = await lab.send("/webhooks/stripe", { method: "POST", body: notice.body });
      expect(unsigned.status).toBe(400);
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
      expect(lab.logged.join("\n")).not.toContain("whsec_");
    });

    it("grant nothing for a session without our metadata, whatever its client_reference_id", async () => {
      const { org, id } = await opened();
      expect(await lab.notify(sessionOf(id, { metadata: {} }))).toBe(200);
      expect(await lab.notify(sessionOf(id, { metadata: null }))).toBe(200);
      expect(await lab.notify(sessionOf(crypto.randomUUID()))).toBe(200);
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
    });

    it("grant nothing, and say so, for an amount that is not a multiple of the price", async () => {
      const { org, id } = await opened();
      for (const changes of [
        { amount_subtotal: UNIT_PRICE_CENTS - 1 },
        { amount_subtotal: UNIT_PRICE_CENTS + 1 },
        { amount_subtotal: 0 },
        { amount_subtotal: null },
        { currency: "jpy" },
      ]) {
        expect([changes, await lab.notify(sessionOf(id, changes))]).toEqual([changes, 400]);
      }
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
      expect(lab.logged.some(line => line.includes("does not match its checkout"))).toBe(true);
    });

    it("cannot pay for an operator's checkout", async () => {
      const org = await lab.organization();
      const { id } = await org.testClient.call("verify.checkouts.create");
      expect(await lab.notify(sessionOf(id))).toBe(200);
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
    });
  });
}

it("are not accepted without Stripe", async () => {
  const lab = await startCheckoutLab(undefined);
  try {
    expect(await lab.notify(sessionOf("x"))).toBe(404);
  } finally {
    await lab.stop();
  }
});
