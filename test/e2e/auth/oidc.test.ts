import { describe, expect, it } from "bun:test";
import { createUser } from "@tollgate/control/features/auth/create-user";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { sql } from "kysely";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type Lab, PASSWORD, startLab } from "../../support/labs/identity-lab.ts";
import { CLIENT, type OidcServer, type Person, startOidcServer } from "../../support/servers/oidc-server.ts";

const databases = controlDatabases();

async function startBoth(
  database: ControlDatabase,
  method?: "client_secret_basic" | "client_secret_post",
): Promise<{ lab: Lab; provider: OidcServer }> {
  const provider = await startOidcServer();
  const lab = await startLab(database, { oidc: () => ({ issuer: provider.issuer, ...CLIENT }) });
  provider.register(`${lab.url}/api/auth/callback/oidc`, method);
  return { lab, provider };
}

/** The whole flow: our page, the provider, its consent page, back to us. */
async function signIn(lab: Lab, provider: OidcServer, person: Person, browser = new Browser()) {
  provider.person = person;
  const [place] = await browser.follow(`${lab.url}/sign-in/oidc`, url => url === `${lab.url}/`);
  return { browser, place };
}

const owner = { sub: "1", email: "owner@example.org", email_verified: true, name: "Olga Owner" };

for (const engine of systemEngines) {
  describe(`signing in with an identity provider, ${engine}`, () => {
    for (const method of ["client_secret_basic", "client_secret_post"] as const) {
      it(`AUTH-009 goes through the provider (${method}) and creates a working session`, async () => {
        const { db, ...database } = await databases.open(engine);
        const { lab, provider } = await startBoth({ db, ...database }, method);
        const orgId = await lab.organization("oldest");
        const asked = await new Browser().send(`${lab.url}/sign-in/oidc`);
        const question = new URL(asked.headers.get("location") ?? "");
        expect(question.origin).toBe(provider.issuer);
        expect(Object.fromEntries(question.searchParams)).toMatchObject({
          client_id: CLIENT.clientId,
          response_type: "code",
          code_challenge_method: "S256",
          redirect_uri: `${lab.url}/api/auth/callback/oidc`,
          scope: "openid email profile",
        });
        expect(question.searchParams.get("nonce")).toBeString();

        const { browser, place } = await signIn(lab, provider, owner);
        expect(place).toBe(`${lab.url}/`);
        const account = await jsonBody(await browser.send(`${lab.url}/api/account`));
        expect(account).toMatchObject({
          user: { email: "owner@example.org", name: "Olga Owner", external: true },
          memberships: [{ organization: { id: orgId }, role: "owner" }],
        });
        expect((await browser.post(`${lab.url}/api/keys`, {})).status).toBe(201);

        // Again, from another browser: the same account, another session.
        const again = await signIn(lab, provider, owner);
        const same = await jsonBody(await again.browser.send(`${lab.url}/api/account`));
        expect(same.user).toEqual(account.user);
        const { rows } = await sql`SELECT * FROM auth_accounts`.execute(db);
        expect(rows).toHaveLength(1);
        expect(rows[0]).toMatchObject({ accessToken: null, refreshToken: null, idToken: null });
      });
    }

    it("only the first person on an installation without members becomes an owner", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      await lab.organization("oldest");
      await signIn(lab, provider, owner);
      const second = await signIn(lab, provider, { sub: "2", email: "b@example.org", email_verified: true });
      for (const path of ["account", "organization", "keys"]) {
        const answer = await second.browser.send(`${lab.url}/api/${path}`);
        expect([path, answer.status]).toEqual([path, 403]);
      }
    });

    it("an invitation is accepted only by an address that the provider has verified", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      const orgId = await lab.organization("oldest");
      const { browser } = await signIn(lab, provider, owner);
      for (const [sub, email_verified, status] of [
        ["claims-false", false, 403],
        ["claims-nothing", undefined, 403],
        ["vouched-for", true, 200],
        ["vouched-for-as-text", "true", 200],
      ] as const) {
        const email = `${sub}@example.org`;
        const answer = await browser.post(`${lab.url}/api/members`, { email, role: "viewer" });
        const invited = await jsonBody(answer);
        expect(invited).toMatchObject({ status: "invited" });
        const person = { sub, email, ...(email_verified === undefined ? {} : { email_verified }) };
        const guest = await signIn(lab, provider, person);
        const read = await guest.browser.send(`${lab.url}/api/organization`);
        expect([sub, read.status]).toEqual([sub, status]);
      }
      const entries = await lab.db
        .selectFrom("audit_log")
        .select(["org_id", "actor"])
        .where("operation", "=", "account.accept_invitation")
        .orderBy("actor")
        .execute();
      expect(entries).toEqual([
        { org_id: orgId, actor: "vouched-for-as-text@example.org" },
        { org_id: orgId, actor: "vouched-for@example.org" },
      ]);
      await createUser(lab.identity, { orgId, email: "By.CLI@example.org", role: "admin" });
      const third = await signIn(lab, provider, {
        sub: "3",
        email: "by.cli@example.org",
        email_verified: true,
      });
      expect((await third.browser.post(`${lab.url}/api/keys`, {})).status).toBe(201);
    });

    it("without a verified address, the inviter's link is enough", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      await lab.organization("oldest");
      const { browser } = await signIn(lab, provider, owner);
      const invitation = { email: "unvouched@example.org", role: "admin" };
      const invited = await jsonBody(await browser.post(`${lab.url}/api/members`, invitation));
      const code = new URL(`${invited.accept_url}`).searchParams.get("invitation");
      provider.person = { sub: "5", email: "unvouched@example.org" };
      const guest = new Browser();
      const [page, answer] = await guest.follow(`${invited.accept_url}`);
      expect(page).toBe(`${lab.url}/sign-in?invitation=${code}`);
      const [, way = ""] = /href="([^"]*oidc[^"]*)"/.exec(await answer.text()) ?? [];
      const [place, welcome] = await guest.follow(`${lab.url}${way}`);
      expect(place).toBe(`${invited.accept_url}`);
      expect(await welcome.text()).toContain(`/api/account/invitations/${code}/accept`);
      const accept = `${lab.url}/api/account/invitations/${code}/accept`;
      const other = await signIn(lab, provider, { sub: "6", email: "other@example.org" });
      expect((await other.browser.post(accept)).status).toBe(403);
      expect((await guest.post(accept)).status).toBe(200);
      expect((await guest.post(`${lab.url}/api/keys`, {})).status).toBe(201);
    });

    it("someone who merely claims another person's address does not get their account", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      await lab.organization("oldest");
      await signIn(lab, provider, owner);
      const thief = { sub: "thief", email: "owner@example.org", email_verified: false };
      const { browser, place } = await signIn(lab, provider, thief);
      expect(place).toBe(`${lab.url}/sign-in?error=account_not_linked`);
      expect((await browser.send(`${lab.url}/api/account`)).status).toBe(401);
    });

    it("someone who merely claimed a person's address first does not keep that person from signing in", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      const orgId = await lab.organization("oldest");
      await signIn(lab, provider, owner);
      const email = "invited@example.org";
      const claiming = { sub: "claims", email, email_verified: false };
      const { browser: theirs } = await signIn(lab, provider, claiming);
      await createUser(lab.identity, { orgId, email, role: "admin" });
      const { browser, place } = await signIn(lab, provider, { sub: "vouched", email, email_verified: true });
      expect(place).toBe(`${lab.url}/`);
      const account = await jsonBody(await browser.send(`${lab.url}/api/account`));
      expect(account).toMatchObject({
        user: { email },
        memberships: [{ organization: { id: orgId }, role: "admin" }],
      });
      // The other one keeps an account of their own, without rights.
      const again = await signIn(lab, provider, claiming);
      for (const stranger of [theirs, again.browser]) {
        expect((await stranger.send(`${lab.url}/api/organization`)).status).toBe(403);
      }
    });

    it("an account from the time before is taken over by the person that the provider vouches for, alone", async () => {
      const database = await databases.open(engine);
      const before = await startLab(database);
      const [own, corp] = [await before.organization("own"), await before.organization("corp")];
      const email = "bob@example.org";
      const squatter = await before.member(own, email, "owner");

      const provider = await startOidcServer();
      const lab = await startLab(database, { oidc: () => ({ issuer: provider.issuer, ...CLIENT }) });
      provider.register(`${lab.url}/api/auth/callback/oidc`);
      for (const [name, value] of squatter.cookies(before.url)) squatter.cookies(lab.url).set(name, value);
      expect((await squatter.send(`${lab.url}/api/account`)).status).toBe(200);
      await createUser(lab.identity, { orgId: corp, email, role: "owner" });
      const { browser } = await signIn(lab, provider, { sub: "bob", email, email_verified: true });
      const { memberships } = await jsonBody(await browser.send(`${lab.url}/api/account`));
      expect(memberships).toHaveLength(2);
      expect((await squatter.send(`${lab.url}/api/account`)).status).toBe(401);
      // Nor does the old password open it, if the provider is disabled again.
      await expect(before.signIn(email, PASSWORD)).rejects.toThrow("401");
    });

    it("a callback without the browser's own state does not sign in", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      await lab.organization("oldest");
      provider.person = owner;
      const attacker = new Browser();
      const isCallback = (url: string) => url.startsWith(`${lab.url}/api/auth/callback/`);
      const [callback] = await attacker.follow(`${lab.url}/sign-in/oidc`, isCallback);
      const victim = new Browser();
      const [place] = await victim.follow(callback, url => url.startsWith(`${lab.url}/sign-in`));
      expect(place).toStartWith(`${lab.url}/sign-in?error=`);
      expect((await victim.send(`${lab.url}/api/account`)).status).toBe(401);
      const forged = `${lab.url}/api/auth/callback/oidc?code=x&state=y`;
      expect((await new Browser().send(forged)).headers.get("location")).toStartWith("/sign-in?error=");
    });

    it("a person refused by the provider returns to the sign-in page", async () => {
      const { lab, provider } = await startBoth(await databases.open(engine));
      provider.refuses = true;
      const { place, browser } = await signIn(lab, provider, owner);
      expect(place).toStartWith(`${lab.url}/sign-in?error=access_denied`);
      expect(await (await browser.send(place)).text()).toContain("did not let you in");
    });

    it("passwords and links are disabled", async () => {
      const { lab } = await startBoth(await databases.open(engine));
      const page = await (await new Browser().send(`${lab.url}/sign-in`)).text();
      expect(page).toContain('href="/sign-in/oidc"');
      expect(page).not.toContain("password");
      const credentials = { email: "a@example.org", password: "x" };
      expect((await new Browser().post(`${lab.url}/api/auth/sign-in/email`, credentials)).status).toBe(404);
      const link = await new Browser().send(`${lab.url}/api/auth/magic-link/verify?token=x`);
      expect(link.status).toBe(404);
      await expect(lab.identity.accounts.signInLink("a@example.org")).rejects.toMatchObject({
        code: "invalid_request",
      });
    });
  });
}

describe("an unreachable identity provider", () => {
  it("only stops new sign-ins; they work again when it is back, without a restart", async () => {
    const { lab, provider } = await startBoth(await databases.open("sqlite"));
    const orgId = await lab.organization("oldest");
    const { text } = await lab.key(orgId, "live", "read");
    await provider.stop();
    const [place, page] = await new Browser().follow(`${lab.url}/sign-in/oidc`);
    expect(place).toBe(`${lab.url}/sign-in?error=provider_unavailable`);
    expect(await page.text()).toContain("is not responding");
    const byKey = await fetch(`${lab.url}/api/organization`, {
      headers: { authorization: `Bearer ${text}` },
    });
    expect(byKey.status).toBe(200);
    await provider.restart();
    const back = await signIn(lab, provider, owner);
    expect((await back.browser.send(`${lab.url}/api/organization`)).status).toBe(200);
  });

  it("an issuer with another name is not trusted", async () => {
    const provider = await startOidcServer();
    const lab = await startLab(await databases.open("sqlite"), {
      oidc: () => ({ issuer: provider.issuer.replace("127.0.0.1", "localhost"), ...CLIENT }),
    });
    provider.register(`${lab.url}/api/auth/callback/oidc`);
    const [place] = await new Browser().follow(`${lab.url}/sign-in/oidc`);
    expect(place).toBe(`${lab.url}/sign-in?error=provider_unavailable`);
  });
});
