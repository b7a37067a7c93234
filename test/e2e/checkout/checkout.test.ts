import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { grant } from "@tollgate/control/features/checkout/grant";
import { payCheckout } from "@tollgate/control/features/checkout/pay-checkout";
import { refusal } from "../../support/clients/refusal.ts";
import { systemEngines } from "../../support/full-size.ts";
import { grantsOf, startCheckoutLab } from "../../support/labs/checkout-lab.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { openToolClient } from "../../support/labs/tool-clients.ts";

const databases = controlDatabases();
const APP = "https://app.example.org";

for (const engine of systemEngines) {
  describe(`a checkout with the operator, on ${engine}`, () => {
    let lab: Awaited<ReturnType<typeof startCheckoutLab>>;
    let org: Awaited<ReturnType<typeof lab.organization>>;
    beforeAll(async () => {
      lab = await startCheckoutLab(await databases.place(engine), { operatorContact: "sales@example.org" });
      org = await lab.organization();
      await org.client.call("organization.update", { redirect_origins: [APP, "http://localhost:5173"] });
    });
    afterAll(() => lab.stop());

    const pay = (checkoutId: string, count: number) =>
      payCheckout(
        { db: lab.db, now: lab.clock.now, newId: () => crypto.randomUUID() },
        { checkoutId, count, reference: `checkout ${checkoutId}`, grantedBy: "cli" },
      );
    const open = (path: string) => fetch(lab.url + path, { redirect: "manual" });

    it("LOOP-019 is our own page with instructions, and grants nothing", async () => {
      const checkout = await org.client.call("verify.checkouts.create");
      expect(checkout).toMatchObject({
        provider: "operator",
        mode: "live",
        checkout_url: `http://tollgate.test/checkout/${checkout.id}`,
        redirect_url: `http://tollgate.test/checkout/${checkout.id}`,
        unit_price_cents: null,
        claim: null,
      });
      const answer = await open(`/checkout/${checkout.id}`);
      const html = await answer.text();
      expect(answer.status).toBe(200);
      expect(html).toContain(`svc verification grant --checkout ${checkout.id} --count N`);
      expect(html).toContain("mailto:sales@example.org");
      expect(await grantsOf(lab.db, org.id)).toEqual([]);
    });

    it("LOOP-019 redirects to an address that starts with callback_url once it is granted, and not before", async () => {
      for (const [callback_url, begin] of [
        [`${APP}/done`, `${APP}/done?`],
        [`${APP}/done?order=7`, `${APP}/done?order=7&`],
        [`${APP}`, `${APP}?`],
        ["http://localhost:5173/back?", "http://localhost:5173/back?"],
      ] as const) {
        const checkout = await org.client.call("verify.checkouts.create", { callback_url });
        expect(checkout.redirect_url).toBe(`${begin}checkout_id=${checkout.id}&checkout_status=success`);
        const before = await open(`/checkout/${checkout.id}`);
        expect([before.status, before.headers.get("location")]).toEqual([200, null]);
        expect(await pay(checkout.id, 2)).toBe("granted");
        const after = await open(`/checkout/${checkout.id}`);
        expect([after.status, after.headers.get("location")]).toEqual([303, checkout.redirect_url]);
      }
    });

    it("LOOP-019 rejects a callback_url with an origin that is unsafe or not allowed by the organization", async () => {
      const stranger = await lab.organization();
      for (const callback_url of [
        "https://evil.example/",
        "https://app.example.org.evil.example/",
        "https://app.example.org:8443/",
        "http://app.example.org/",
        "http://localhost:5174/",
        "https://app.example.org@evil.example/",
        "javascript:alert(1)",
        "/relative",
      ]) {
        const { status, message } = await refusal(
          org.client.call("verify.checkouts.create", { callback_url }),
        );
        expect([callback_url, status, message.startsWith("callback_url")]).toEqual([callback_url, 400, true]);
      }
      // What one organization allows is not allowed for another.
      const foreign = stranger.client.call("verify.checkouts.create", { callback_url: `${APP}/done` });
      expect((await refusal(foreign)).status).toBe(400);
    });

    it("rejects even our own origin if it is neither https nor loopback", async () => {
      const own = org.client.call("verify.checkouts.create", { callback_url: "http://tollgate.test/x" });
      expect((await refusal(own)).status).toBe(400);
    });

    it("stores the organization's redirect origins as set by its owner", async () => {
      const other = await lab.organization();
      const { redirect_origins } = await other.client.call("organization.update", {
        redirect_origins: ["https://B.example:443/", "https://a.example", "https://b.example"],
      });
      expect(redirect_origins).toEqual(["https://a.example", "https://b.example"]);
      const renamed = await other.client.call("organization.update", { name: "renamed" });
      expect(renamed).toMatchObject({ name: "renamed", redirect_origins });
      expect((await org.client.call("organization.get")).redirect_origins).toEqual([
        "http://localhost:5173",
        APP,
      ]);
      const cleared = await other.client.call("organization.update", { redirect_origins: [] });
      expect(cleared.redirect_origins).toEqual([]);
      const bad = other.client.call("organization.update", { redirect_origins: ["http://a.example"] });
      expect((await refusal(bad)).status).toBe(400);
      const admin = await lab.member(other.id, "admin");
      const byAdmin = await admin.send(`${lab.url}/api/organization`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_origins: ["https://evil.example"] }),
      });
      expect(byAdmin.status).toBe(403);
    });

    it("LOOP-028 grants once, even if paid repeatedly and concurrently", async () => {
      const buyer = await lab.organization();
      const { id } = await buyer.client.call("verify.checkouts.create");
      const outcomes: readonly string[] = await Promise.all(Array.from({ length: 8 }, () => pay(id, 3)));
      expect(outcomes.toSorted()).toEqual(["granted", ...Array.from({ length: 7 }, () => "paid_before")]);
      expect(await grantsOf(lab.db, buyer.id)).toEqual([
        { mode: "live", count: 3, reference: `checkout ${id}`, granted_by: "cli" },
      ]);
      expect(await pay(crypto.randomUUID(), 3)).toBe("unknown");
    });

    it("LOOP-028 one reference grants once to one organization and mode", async () => {
      const [one, two] = [await lab.organization(), await lab.organization()];
      const give = (orgId: string, mode: "live" | "test", count: number) =>
        grant(lab.db, {
          id: crypto.randomUUID(),
          orgId,
          mode,
          count,
          reference: "invoice 7",
          grantedBy: "cli",
          createdAtMs: lab.clock.now(),
        });
      expect(await give(one.id, "live", 5)).toBe(true);
      expect(await give(one.id, "live", 5)).toBe(false);
      expect(await give(one.id, "live", 9)).toBe(false);
      expect(await give(one.id, "test", 1)).toBe(true);
      expect(await give(two.id, "live", 2)).toBe(true);
      expect((await grantsOf(lab.db, one.id)).map(({ count }) => count).toSorted()).toEqual([1, 5]);
    });

    it("of a test key is for test traffic", async () => {
      const checkout = await org.testClient.call("verify.checkouts.create");
      expect(checkout).toMatchObject({ mode: "test", provider: "operator" });
      await pay(checkout.id, 1);
      expect((await grantsOf(lab.db, org.id)).filter(({ mode }) => mode === "test")).toHaveLength(1);
      expect(await (await open(`/checkout/${checkout.id}`)).text()).toContain("for test traffic");
    });

    it("has a page that escapes user text, with a strict policy", async () => {
      const hostile = await lab.organization();
      await hostile.client.call("organization.update", { name: `<img src=x onerror="alert('1')">&co` });
      await hostile.client.call("organization.update", { redirect_origins: [APP] });
      const { id } = await hostile.client.call("verify.checkouts.create", {
        callback_url: `${APP}/?q='onload=alert(1)&x`,
      });
      const answer = await open(`/checkout/${id}`);
      const html = await answer.text();
      expect(html).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;co");
      expect(html).not.toContain("<img");
      expect(html.match(/<script/g)).toHaveLength(1);
      expect(html).toContain(`href="${APP}/?q=&#39;onload=alert(1)&amp;x&amp;checkout_id=${id}`);
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe-inline");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      await pay(id, 1);
      const done = await open(`/checkout/${id}`);
      expect(done.headers.get("location")).toStartWith(APP);
    });

    it("is a 404 page if it does not exist", async () => {
      for (const id of [crypto.randomUUID(), "x", "%3Cscript%3E", "..%2F"]) {
        const answer = await open(`/checkout/${id}`);
        expect([id, answer.status]).toEqual([id, 404]);
        expect(await answer.text()).not.toContain("<script>");
      }
    });

    it("is deleted thirty days after it expired unpaid, and kept if it was paid", async () => {
      const buyer = await lab.organization();
      const unpaid = await buyer.client.call("verify.checkouts.create");
      const paid = await buyer.client.call("verify.checkouts.create");
      await pay(paid.id, 1);
      lab.clock.advance(61 * 86_400_000);
      await buyer.client.call("verify.checkouts.create");
      expect((await open(`/checkout/${unpaid.id}`)).status).toBe(404);
      expect((await open(`/checkout/${paid.id}`)).status).toBe(200);
    });
  });
}

describe("svc_buy_verification", () => {
  let lab: Awaited<ReturnType<typeof startCheckoutLab>>;
  beforeAll(async () => {
    lab = await startCheckoutLab(undefined);
  });
  afterAll(() => lab.stop());

  it("TOOL-046 LOOP-019 returns a checkout URL that redirects to callback_url, and grants nothing", async () => {
    const org = await lab.organization();
    await org.client.call("organization.update", { redirect_origins: [APP] });
    const toolClient = await openToolClient("hosted, new client", lab.url, org.liveKey);
    const before = (await toolClient.call("svc_get_balance")).structured;
    const plain = await toolClient.call("svc_buy_verification");
    expect(plain.isError).toBe(false);
    expect(plain.text).toContain(String(plain.structured.checkout_url));
    const { structured, text } = await toolClient.call("svc_buy_verification", {
      callback_url: `${APP}/back`,
    });
    expect(structured.redirect_url).toStartWith(`${APP}/back`);
    expect(structured.claim).toBeNull();
    expect(text).toContain(`${APP}/back`);
    const foreign = await toolClient.call("svc_buy_verification", { callback_url: "https://evil.example/" });
    expect([foreign.isError, foreign.facts.status]).toEqual([true, 400]);
    expect((await toolClient.call("svc_get_balance")).structured).toEqual(before);
    expect(await grantsOf(lab.db, org.id)).toEqual([]);
    await toolClient.close();
  });
});
