import { describe, expect, it } from "bun:test";
import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/features/auth/create-user";
import { sql } from "kysely";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { PASSWORD, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();
const cookieName = "tollgate.session_token";

for (const engine of systemEngines) {
  describe(`signing in without an identity provider, ${engine}`, () => {
    it("AUTH-008 a link signs in once, is refused the second time, and afterwards a password works", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "Owner@Example.org", role: "owner" });
      const link = await createSignInLink(lab.identity, "owner@example.org");
      expect(link).toStartWith(`${lab.url}/api/auth/magic-link/verify?token=`);

      const browser = new Browser();
      const [place, welcome] = await browser.follow(link);
      expect(place).toBe(`${lab.url}/welcome`);
      expect(await welcome.text()).toContain("owner@example.org");
      const account = await jsonBody(await browser.send(`${lab.url}/api/account`));
      expect(account).toMatchObject({
        user: { email: "owner@example.org", has_password: false },
        organization: { id: orgId },
        memberships: [{ organization: { id: orgId }, role: "owner" }],
      });

      const second = new Browser();
      const [refusedAt, refusal] = await second.follow(link);
      expect(refusedAt).toBe(`${lab.url}/sign-in?error=INVALID_TOKEN`);
      expect(await refusal.text()).toContain("<code>svc user link EMAIL</code>");
      expect(second.cookies(lab.url).size).toBe(0);

      expect((await browser.post(`${lab.url}/api/account/password`, { password: PASSWORD })).status).toBe(
        204,
      );
      const third = new Browser();
      const signedIn = await third.post(`${lab.url}/api/auth/sign-in/email`, {
        email: "OWNER@example.org",
        password: PASSWORD,
      });
      expect(signedIn.status).toBe(200);
      expect(await signedIn.text()).not.toContain("token");
      expect((await third.send(`${lab.url}/api/account`)).status).toBe(200);
    });

    it("AUTH-008 of many concurrent uses of one link, one gets a session", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "a@example.org", role: "owner" });
      const link = await createSignInLink(lab.identity, "a@example.org");
      const answers = await Promise.all(Array.from({ length: 12 }, () => new Browser().send(link)));
      expect(answers.filter(answer => answer.headers.getSetCookie().length > 0)).toHaveLength(1);
    });

    it("AUTH-008 a link ends every earlier session", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "a@example.org", role: "owner" });
      const stolen = new Browser();
      await stolen.send(await createSignInLink(lab.identity, "a@example.org"));
      expect((await stolen.send(`${lab.url}/api/account`)).status).toBe(200);
      const again = new Browser();
      await again.send(await createSignInLink(lab.identity, "a@example.org"));
      expect((await stolen.send(`${lab.url}/api/account`)).status).toBe(401);
      expect((await again.send(`${lab.url}/api/account`)).status).toBe(200);
    });

    it("AUTH-008 a link is stored as a digest and revokes the previous one; an expired one is refused", async () => {
      const { db, ...database } = await databases.open(engine);
      const lab = await startLab({ db, ...database });
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "a@example.org", role: "owner" });
      const first = await createSignInLink(lab.identity, "a@example.org");
      const next = await createSignInLink(lab.identity, "a@example.org");
      const token = new URL(next).searchParams.get("token") ?? "";
      const { rows } = await sql`SELECT * FROM auth_verifications`.execute(db);
      expect(JSON.stringify(rows)).not.toContain(token);
      expect((await new Browser().send(first)).headers.getSetCookie()).toEqual([]);
      expect((await new Browser().send(next)).headers.getSetCookie()).toHaveLength(1);

      const old = await createSignInLink(lab.identity, "a@example.org", { validMs: -1 });
      expect((await new Browser().send(old)).headers.get("location")).toBe("/sign-in?error=INVALID_TOKEN");
    });

    it("a link never redirects to another site", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "a@example.org", role: "owner" });
      const link = new URL(await createSignInLink(lab.identity, "a@example.org"));
      link.searchParams.set("callbackURL", "https://evil.example/");
      link.searchParams.set("errorCallbackURL", "https://evil.example/");
      expect((await new Browser().send(link.href)).headers.get("location")).toBe("/welcome");
      expect((await new Browser().send(link.href)).headers.get("location")).toStartWith("/sign-in?");
    });

    it("a new password needs the current one, ends every other session, and a link ends a forgotten one", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const here = await lab.member(orgId, "a@example.org", "viewer");
      const there = new Browser();
      await there.post(`${lab.url}/api/auth/sign-in/email`, { email: "a@example.org", password: PASSWORD });
      const set = (body: object) => here.post(`${lab.url}/api/account/password`, body);
      expect((await set({ password: "another password" })).status).toBe(400);
      expect((await set({ password: "another password", current_password: "wrong" })).status).toBe(400);
      expect((await set({ password: "short", current_password: PASSWORD })).status).toBe(400);
      expect((await set({ password: "Password1!", current_password: PASSWORD })).status).toBe(400);
      expect((await there.send(`${lab.url}/api/account`)).status).toBe(200);
      expect((await set({ password: "another password", current_password: PASSWORD })).status).toBe(204);
      expect((await here.send(`${lab.url}/api/account`)).status).toBe(200);
      expect((await there.send(`${lab.url}/api/account`)).status).toBe(401);

      const forgetful = new Browser();
      await forgetful.send(await createSignInLink(lab.identity, "a@example.org"));
      const chosen = await forgetful.post(`${lab.url}/api/account/password`, { password: "chosen anew" });
      expect(chosen.status).toBe(204);
    });

    it("AUTH-010 a session lasts 7 days and slides; its cookie is HttpOnly, SameSite=Lax, for the whole site", async () => {
      const { db, ...database } = await databases.open(engine);
      const lab = await startLab({ db, ...database });
      const orgId = await lab.organization("first");
      const browser = await lab.member(orgId, "a@example.org", "owner");
      const answer = await new Browser().post(`${lab.url}/api/auth/sign-in/email`, {
        email: "a@example.org",
        password: PASSWORD,
      });
      const [cookie = ""] = answer.headers.getSetCookie();
      expect(cookie).toMatch(
        /^tollgate\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
      );
      expect(answer.headers.get("cache-control")).toBe("no-store");

      // Two of the seven days are left: the next request renews the session, and sets the cookie.
      const soon = new Date(Date.now() + 2 * 86_400_000);
      await sql`UPDATE auth_sessions SET "expiresAt" = ${engine === "sqlite" ? soon.toISOString() : soon}`.execute(
        db,
      );
      const used = await browser.send(`${lab.url}/api/account`);
      expect(used.headers.getSetCookie()[0]).toContain("Max-Age=604800");
      const account = await lab.identity.accounts.findByEmail("a@example.org");
      const ends = (await lab.identity.accounts.sessions(account?.id ?? "")).map(
        session => session.expiresAt,
      );
      expect(Math.max(...ends)).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);

      // An expired session is not renewed.
      const past = new Date(Date.now() - 1000);
      await sql`UPDATE auth_sessions SET "expiresAt" = ${engine === "sqlite" ? past.toISOString() : past}`.execute(
        db,
      );
      expect((await browser.send(`${lab.url}/api/account`)).status).toBe(401);
    });

    it("AUTH-010 behind https the cookie is Secure, by name and by attribute", async () => {
      const lab = await startLab(await databases.open(engine), { publicUrl: "https://tollgate.example" });
      const orgId = await lab.organization("first");
      await createUser(lab.identity, { orgId, email: "a@example.org", role: "owner" });
      const link = new URL(await createSignInLink(lab.identity, "a@example.org"));
      expect(link.origin).toBe("https://tollgate.example");
      const answer = await new Browser().send(`${lab.url}${link.pathname}${link.search}`);
      const [cookie = ""] = answer.headers.getSetCookie();
      expect(cookie).toStartWith("__Secure-tollgate.session_token=");
      expect(cookie).toContain("; Secure");
    });

    it("a session planted before the sign-in is not adopted", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const attacker = await lab.member(orgId, "attacker@example.org", "viewer");
      await lab.member(orgId, "victim@example.org", "owner");
      const planted = attacker.cookies(lab.url).get(cookieName) ?? "";
      const invented = "invented-token.invented-signature";
      for (const value of [planted, invented]) {
        const victim = new Browser();
        victim.cookies(lab.url).set(cookieName, value);
        const answer = await victim.post(`${lab.url}/api/auth/sign-in/email`, {
          email: "victim@example.org",
          password: PASSWORD,
        });
        expect(answer.status).toBe(200);
        const own = victim.cookies(lab.url).get(cookieName) ?? "";
        expect(own).not.toBe(value);
        expect(await jsonBody(await victim.send(`${lab.url}/api/account`))).toMatchObject({
          user: { email: "victim@example.org" },
        });
      }
      const still = await attacker.send(`${lab.url}/api/account`);
      expect(await jsonBody(still)).toMatchObject({ user: { email: "attacker@example.org" } });
      const stranger = new Browser();
      stranger.cookies(lab.url).set(cookieName, invented);
      expect((await stranger.send(`${lab.url}/api/account`)).status).toBe(401);
    });

    it("signing out ends the session on the server, not only in the browser", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "viewer");
      const thief = new Browser();
      thief.cookies(lab.url).set(cookieName, browser.cookies(lab.url).get(cookieName) ?? "");
      expect((await thief.send(`${lab.url}/api/account`)).status).toBe(200);
      expect((await browser.post(`${lab.url}/api/auth/sign-out`)).status).toBe(200);
      expect(browser.cookies(lab.url).has(cookieName)).toBe(false);
      expect((await thief.send(`${lab.url}/api/account`)).status).toBe(401);
    });

    it("SEC-008 changing the secret ends every session, and nothing else", async () => {
      const database = await databases.open(engine);
      const before = await startLab(database);
      const orgId = await before.organization("first");
      const browser = await before.member(orgId, "a@example.org", "owner");
      const { text } = await before.key(orgId, "live", "read");
      const after = await startLab(database, { secret: "another secret, as long as the first one was" });
      const cookie = browser.cookies(before.url).get(cookieName) ?? "";
      const held = new Browser();
      held.cookies(after.url).set(cookieName, cookie);
      expect((await held.send(`${after.url}/api/account`)).status).toBe(401);
      const byKey = await held.send(`${after.url}/api/account`, {
        headers: { authorization: `Bearer ${text}` },
      });
      expect(byKey.status).toBe(200);
      const anew = await new Browser().post(`${after.url}/api/auth/sign-in/email`, {
        email: "a@example.org",
        password: PASSWORD,
      });
      expect(anew.status).toBe(200);
    });

    it("no other route of the library is exposed: no sign-up, no link for strangers, no change of address", async () => {
      const lab = await startLab(await databases.open(engine));
      const browser = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const paths = [
        "sign-up/email",
        "sign-in/magic-link",
        "sign-in/social",
        "change-email",
        "change-password",
        "update-user",
        "delete-user",
        "request-password-reset",
        "reset-password",
        "link-social",
        "revoke-sessions",
        "callback/oidc",
      ];
      for (const path of paths) {
        const answer = await browser.post(`${lab.url}/api/auth/${path}`, {
          email: "b@example.org",
          newEmail: "b@example.org",
          password: PASSWORD,
          name: "b",
        });
        expect([path, answer.status]).toEqual([path, 404]);
      }
      expect(await lab.identity.accounts.findByEmail("b@example.org")).toBeNull();
    });
  });
}

describe("the pages", () => {
  it("load only our own files, and escape people's names", async () => {
    const lab = await startLab(await databases.open("sqlite"));
    const page = await new Browser().send(`${lab.url}/sign-in?error=%3Cscript%3E`);
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(html).not.toMatch(/<script>|onsubmit|style=/);
    expect(html).toContain('data-post="/api/auth/sign-in/email"');
    for (const [path, type] of [
      ["/sign-in/form.js", "text/javascript"],
      ["/sign-in/page.css", "text/css"],
    ]) {
      const file = await fetch(`${lab.url}${path}`);
      expect(file.status).toBe(200);
      expect(file.headers.get("content-type")).toStartWith(`${type}`);
    }
    const orgId = await lab.organization("first");
    const odd = await lab.member(orgId, "o'brien+x&y@example.org", "viewer");
    const welcome = await (await odd.send(`${lab.url}/welcome`)).text();
    expect(welcome).toContain("o&#39;brien+x&amp;y@example.org");
    expect((await new Browser().send(`${lab.url}/welcome`)).headers.get("location")).toBe("/sign-in");
  });
});
