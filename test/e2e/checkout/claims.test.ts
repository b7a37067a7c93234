import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { payCheckout } from "@tollgate/control/features/checkout/pay-checkout";
import { checkoutOperations } from "@tollgate/core/contract/checkout";
import { systemEngines } from "../../support/full-size.ts";
import { grantsOf, startCheckoutLab } from "../../support/labs/checkout-lab.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";

const databases = controlDatabases();
const created = checkoutOperations["verify.checkouts.create"].output;
const CLAIMS = "/api/verify/claims";
const CHECKOUT = "/api/verify/checkout";

for (const engine of systemEngines) {
  describe(`an anonymous purchase, on ${engine}`, () => {
    let lab: Awaited<ReturnType<typeof startCheckoutLab>>;
    beforeAll(async () => {
      lab = await startCheckoutLab(await databases.place(engine), { isOpenToStrangers: true });
    });
    afterAll(() => lab.stop());

    async function buy() {
      const answer = await lab.post(CHECKOUT, {});
      expect(answer.status).toBe(201);
      const checkout = created.parse(await answer.json());
      if (checkout.claim === null) throw new Error("no claim");
      return { ...checkout, claim: checkout.claim };
    }
    const pay = (checkoutId: string, count: number) =>
      payCheckout(
        { db: lab.db, now: lab.clock.now, newId: () => crypto.randomUUID() },
        { checkoutId, count, reference: `checkout ${checkoutId}`, grantedBy: "cli" },
      );

    it("LOOP-019 gets a claim code with instructions; only its digest is stored", async () => {
      const { id, claim } = await buy();
      expect(claim.code).toMatch(/^[\w-]{43}$/);
      expect(claim.instructions).toContain(`/checkout/${id}`);
      expect(claim.instructions).not.toContain(claim.code);
      const row = await lab.db.selectFrom("checkouts").selectAll().where("id", "=", id).executeTakeFirst();
      expect(row).toMatchObject({ org_id: null, opened_by: "anonymous" });
      expect(JSON.stringify(row)).not.toContain(claim.code);
      const page = await (await lab.send(`/checkout/${id}`)).text();
      expect(page).toContain('data-post="/api/verify/claims"');
      expect(page).not.toContain(claim.code);
    });

    it("LOOP-028 is claimed once, by the person who signs in with its code; the code cannot be used again", async () => {
      const [mine, foreign] = [await lab.organization(), await lab.organization()];
      const { id, claim } = await buy();
      expect(await pay(id, 4)).toBe("unclaimed");
      expect(await pay(id, 4)).toBe("paid_before");
      const member = await lab.member(mine.id, "viewer");
      const stranger = await lab.member(foreign.id, "owner");
      const first = await member.post(lab.url + CLAIMS, { claim_code: claim.code });
      expect([first.status, await first.json()]).toEqual([
        200,
        { checkout_id: id, mode: "live", status: "granted", verifications: 4 },
      ]);
      for (const browser of [member, stranger]) {
        expect((await browser.post(lab.url + CLAIMS, { claim_code: claim.code })).status).toBe(404);
      }
      expect(await grantsOf(lab.db, mine.id)).toMatchObject([{ count: 4, reference: `checkout ${id}` }]);
      expect(await grantsOf(lab.db, foreign.id)).toEqual([]);
      expect(await (await lab.send(`/checkout/${id}`)).text()).toContain("4 verifications");
    });

    it("LOOP-028 is granted once paid, if it was claimed before", async () => {
      const org = await lab.organization();
      const { id, claim } = await buy();
      const member = await lab.member(org.id, "viewer");
      const claimed = await member.post(lab.url + CLAIMS, { claim_code: claim.code });
      expect(await claimed.json()).toMatchObject({ status: "awaiting_payment", verifications: null });
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
      expect(await pay(id, 2)).toBe("granted");
      expect(await grantsOf(lab.db, org.id)).toMatchObject([{ count: 2 }]);
    });

    it("LOOP-028 is granted once, even if many pay and claim concurrently", async () => {
      const orgs = [await lab.organization(), await lab.organization()];
      const members = await Promise.all(orgs.map(({ id }) => lab.member(id, "viewer")));
      for (let round = 0; round < 5; round++) {
        const { id, claim } = await buy();
        const [, , ...claims] = await Promise.all([
          pay(id, 1),
          pay(id, 1),
          ...members.map(member => member.post(lab.url + CLAIMS, { claim_code: claim.code })),
        ]);
        expect(claims.map(({ status }) => status).toSorted()).toEqual([200, 404]);
        const grants = await lab.db
          .selectFrom("verification_grants")
          .select("org_id")
          .where("reference", "=", `checkout ${id}`)
          .execute();
        expect(grants).toHaveLength(1);
      }
    });

    it("cannot be claimed with a key, without a session, or with a wrong code", async () => {
      const org = await lab.organization();
      const { claim } = await buy();
      expect((await lab.post(CLAIMS, { claim_code: claim.code }, org.liveKey)).status).toBe(403);
      expect((await lab.post(CLAIMS, { claim_code: claim.code })).status).toBe(401);
      const member = await lab.member(org.id, "owner");
      expect((await member.post(lab.url + CLAIMS, { claim_code: "x".repeat(43) })).status).toBe(404);
      expect((await member.post(lab.url + CLAIMS, { claim_code: "short" })).status).toBe(400);
      expect((await member.post(lab.url + CLAIMS, { claim_code: claim.code })).status).toBe(200);
    });

    it("redirects only to our own pages", async () => {
      const answer = await lab.post(CHECKOUT, { callback_url: "https://app.example.org/" });
      expect(answer.status).toBe(400);
    });

    it("with a wrong key does not count as a purchase without a key", async () => {
      expect((await lab.post(CHECKOUT, {}, "sk_live_wrong")).status).toBe(401);
      expect((await lab.post(CHECKOUT, { callback_url: 7 })).status).toBe(400);
    });
  });
}

describe("with anonymous purchases enabled", () => {
  it("LOOP-019 the hosted endpoint has one tool for callers without a key, with claim instructions", async () => {
    const lab = await startCheckoutLab(undefined, { isOpenToStrangers: true });
    try {
      const ask = async (method: string, params: object) => {
        const answer = await lab.send("/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
        return { status: answer.status, text: await answer.text() };
      };
      const listed = await ask("tools/list", {});
      expect([...listed.text.matchAll(/"name":"(svc_\w+)"/g)].map(([, name]) => name)).toEqual([
        "svc_buy_verification",
      ]);
      const bought = await ask("tools/call", { name: "svc_buy_verification", arguments: {} });
      expect(bought.status).toBe(200);
      expect(bought.text).toMatch(/Claim code: [\w-]{43}\./);
      const other = await ask("tools/call", { name: "svc_get_cost_summary", arguments: {} });
      expect(other.text).toContain("error");
      expect((await lab.send("/api/agents")).status).toBe(401);
    } finally {
      await lab.stop();
    }
  });

  it("at most 600 anonymous checkouts are opened per hour in total; requests with keys are not affected", async () => {
    const lab = await startCheckoutLab(undefined, { isOpenToStrangers: true });
    try {
      const org = await lab.organization();
      for (let opened = 0; opened < 600; opened += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => lab.post(CHECKOUT, {})));
        expect(answers.every(({ status }) => status === 201)).toBe(true);
      }
      expect((await lab.post(CHECKOUT, {})).status).toBe(429);
      expect((await lab.post(CHECKOUT, {}, org.liveKey)).status).toBe(201);
      lab.clock.advance(3_600_001);
      expect((await lab.post(CHECKOUT, {})).status).toBe(201);
    } finally {
      await lab.stop();
    }
  });

  it("LOOP-028 buying without a key requires the operator's permission", async () => {
    const lab = await startCheckoutLab(undefined);
    try {
      expect((await lab.post(CHECKOUT, {})).status).toBe(401);
      expect((await lab.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(401);
    } finally {
      await lab.stop();
    }
  });
});
