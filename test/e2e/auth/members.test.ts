import { describe, expect, it } from "bun:test";
import { createSignInLink } from "@tollgate/control/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/auth/create-user";
import { roles } from "@tollgate/core/contract/operation";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
import { type Lab, PASSWORD, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

const patch = (lab: Lab, browser: Browser, path: string, body: unknown) =>
  browser.send(`${lab.url}${path}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const memberId = async (lab: Lab, orgId: string, email: string) => {
  const row = await lab.db
    .selectFrom("members")
    .select("id")
    .where("org_id", "=", orgId)
    .where("email", "=", email)
    .executeTakeFirstOrThrow();
  return row.id;
};

const codeIn = ({ accept_url }: { accept_url?: unknown }) =>
  new URL(`${accept_url}`).searchParams.get("invitation") ?? "";

const accept = (lab: Lab, browser: Browser, invitation: string, password: string, origin = lab.url) =>
  browser.post(`${lab.url}/api/auth/invitations/accept`, { invitation, password }, { origin });

const signIn = async (lab: Lab, email: string, password: string): Promise<Browser> => {
  const browser = new Browser();
  const answer = await browser.post(`${lab.url}/api/auth/sign-in/email`, { email, password });
  expect([email, answer.status]).toEqual([email, 200]);
  return browser;
};

for (const engine of engines) {
  describe(`organizations and members, ${engine}`, () => {
    it("WEB-012 a viewer can read, an admin can also write, an owner can also manage members and the organization", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      for (const role of roles) {
        const browser = await lab.member(orgId, `${role}@example.org`, role);
        expect((await browser.send(`${lab.url}/api/members`)).status).toBe(200);
        expect((await browser.send(`${lab.url}/api/keys`)).status).toBe(200);
        const made = await browser.post(`${lab.url}/api/keys`, { name: role });
        expect([role, made.status]).toEqual([role, role === "viewer" ? 403 : 201]);
        const renamed = await patch(lab, browser, "/api/organization", { name: `of the ${role}` });
        expect([role, renamed.status]).toEqual([role, role === "owner" ? 200 : 403]);
        const invited = await browser.post(`${lab.url}/api/members`, {
          email: `friend-of-${role}@example.org`,
          role: "viewer",
        });
        expect([role, invited.status]).toEqual([role, role === "owner" ? 201 : 403]);
      }
    });

    it("a key can do no more than its creator: an admin's key cannot appoint an owner", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      await lab.member(orgId, "owner@example.org", "owner");
      const admin = await lab.member(orgId, "admin@example.org", "admin");
      const { key } = await jsonBody(await admin.post(`${lab.url}/api/keys`, { scope: "write" }));
      const raise = await fetch(`${lab.url}/api/members/${await memberId(lab, orgId, "admin@example.org")}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ role: "owner" }),
      });
      expect(raise.status).toBe(403);
      const heir = await fetch(`${lab.url}/api/keys`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: "{}",
      });
      expect(heir.status).toBe(201);
      const keys = await lab.db.selectFrom("api_keys").select("role").where("org_id", "=", orgId).execute();
      expect(keys.map(({ role }) => role)).toEqual(["admin", "admin"]);
    });

    it("WEB-012 shows the organization and its limits; tier and status cannot be written", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const owner = await lab.member(orgId, "a@example.org", "owner");
      expect(await jsonBody(await owner.send(`${lab.url}/api/organization`))).toMatchObject({
        id: orgId,
        name: "first",
        tier: "pro",
        status: "active",
        limits: {
          agents: null,
          monthly_calls: 100_000,
          burst_per_minute: 500,
          history_days: 90,
          budgets: 10,
        },
      });
      for (const body of [
        { tier: "enterprise" },
        { name: "x", status: "active" },
        { name: "x", burst_per_minute: 1 },
        { name: "" },
        {},
      ]) {
        expect((await patch(lab, owner, "/api/organization", body)).status).toBe(400);
      }
      const renamed = await patch(lab, owner, "/api/organization", { name: " Second " });
      expect(await jsonBody(renamed)).toMatchObject({ name: "Second", tier: "pro" });
    });

    it("WEB-012 an invited person accepts once, with the link and a password, and then signs in with the password", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first <b>");
      const owner = await lab.member(orgId, "a@example.org", "owner");
      const invite = () =>
        owner.post(`${lab.url}/api/members`, { email: " New@Example.org ", role: "admin" });
      const answer = await invite();
      expect(answer.status).toBe(201);
      const invited = await jsonBody(answer);
      expect(invited).toMatchObject({ email: "new@example.org", role: "admin", status: "invited" });
      expect((await invite()).status).toBe(400);

      const newcomer = new Browser();
      const page = await (await newcomer.send(`${invited.accept_url}`)).text();
      expect(page).toContain("first &lt;b&gt;");
      expect(page).toContain("new@example.org");
      const code = codeIn(invited);
      expect(page).toContain(code);
      for (const password of ["short", "Password1!", "new@example.org"]) {
        expect([password, (await accept(lab, newcomer, code, password)).status]).toEqual([password, 400]);
      }
      expect((await accept(lab, newcomer, code, PASSWORD, "https://evil.example")).status).toBe(403);
      expect((await accept(lab, newcomer, code, PASSWORD)).status).toBe(200);
      const account = await jsonBody(await newcomer.send(`${lab.url}/api/account`));
      expect(account).toMatchObject({
        user: { email: "new@example.org" },
        memberships: [{ organization: { id: orgId }, role: "admin" }],
      });
      const list = await (await owner.send(`${lab.url}/api/members`)).text();
      expect(list).not.toContain(code);
      expect(list).not.toContain("invited");

      const thief = new Browser();
      expect((await accept(lab, thief, code, "another password")).status).toBe(404);
      expect(await (await thief.send(`${invited.accept_url}`)).text()).toContain("has been used");
      const again = await signIn(lab, "new@example.org", PASSWORD);
      expect((await again.send(`${lab.url}/api/organization`)).status).toBe(200);
    });

    it("an invitation expires after 7 days or when revoked, and can be repeated", async () => {
      let now = Date.now();
      const lab = await startLab(await databases.open(engine), { now: () => now });
      const owner = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const invite = async () => {
        const invitation = { email: "new@example.org", role: "viewer" };
        return await jsonBody(await owner.post(`${lab.url}/api/members`, invitation));
      };
      const remove = async ({ id }: { id?: unknown }) =>
        (await owner.send(`${lab.url}/api/members/${id}`, { method: "DELETE" })).status;
      const first = await invite();
      now += 7 * 86_400_000;
      expect((await accept(lab, new Browser(), codeIn(first), PASSWORD)).status).toBe(404);
      expect(await remove(first)).toBe(204);
      const second = await invite();
      expect(await remove(second)).toBe(204);
      expect((await accept(lab, new Browser(), codeIn(second), PASSWORD)).status).toBe(404);
      const third = await invite();
      expect((await accept(lab, new Browser(), codeIn(third), PASSWORD)).status).toBe(200);
    });

    it("inviting an address neither blocks its owner in other organizations nor reveals whether they have an account", async () => {
      const lab = await startLab(await databases.open(engine));
      const [squatters, own] = [await lab.organization("squatters"), await lab.organization("own")];
      const squatter = await lab.member(squatters, "squatter@example.org", "owner");
      const boss = await lab.member(own, "boss@example.org", "owner");
      const invite = async (browser: Browser, role: string) =>
        await jsonBody(await browser.post(`${lab.url}/api/members`, { email: "bob@example.org", role }));
      // The owner of one organization claims the address, and sets its password.
      const taken = await invite(squatter, "viewer");
      const fake = new Browser();
      expect((await accept(lab, fake, codeIn(taken), "the squatter's password")).status).toBe(200);

      // Bob's own organization gets the same answer as for an unknown address, and Bob can use it.
      const invited = await invite(boss, "admin");
      expect(Object.keys(invited)).toEqual(Object.keys(taken));
      const bob = new Browser();
      expect((await accept(lab, bob, codeIn(invited), "bob's own password")).status).toBe(200);
      const organizationsOf = async (browser: Browser) => {
        const { user, memberships } = (await (await browser.send(`${lab.url}/api/account`)).json()) as {
          user: { email: string };
          memberships: { organization: { id: string } }[];
        };
        return [user.email, memberships.map(({ organization }) => organization.id)];
      };
      const asBob = async () =>
        await organizationsOf(await signIn(lab, "bob@example.org", "bob's own password"));
      const asFake = async () =>
        await organizationsOf(await signIn(lab, "bob@example.org", "the squatter's password"));
      expect(await asBob()).toEqual(["bob@example.org", [own]]);
      expect(await asFake()).toEqual(["bob@example.org", [squatters]]);
      // Neither person gets into the other's organization, by session or by password.
      expect((await fake.post(`${lab.url}/api/account/invitations/${codeIn(invited)}/accept`)).status).toBe(
        404,
      );
      const password = { password: "bob's new password", current_password: "bob's own password" };
      expect((await bob.post(`${lab.url}/api/account/password`, password)).status).toBe(204);
      expect(await asFake()).toEqual(["bob@example.org", [squatters]]);

      // With the password of his existing account, Bob joins a third organization with that account.
      const third = await lab.organization("third");
      const friend = await lab.member(third, "friend@example.org", "owner");
      const more = new Browser();
      const code = codeIn(await invite(friend, "viewer"));
      expect((await accept(lab, more, code, "bob's new password")).status).toBe(200);
      expect(await organizationsOf(more)).toEqual(["bob@example.org", [own, third]]);
    });

    it("guessing a password through invitations counts like a sign-in", async () => {
      const lab = await startLab(await databases.open(engine));
      const owner = await lab.member(await lab.organization("first"), "a@example.org", "owner");
      const statuses: number[] = [];
      for (let guess = 0; guess < 11; guess++) {
        const invitation = { email: "bob@example.org", role: "viewer" };
        const invited = await jsonBody(await owner.post(`${lab.url}/api/members`, invitation));
        statuses.push((await accept(lab, new Browser(), codeIn(invited), `guess number ${guess}`)).status);
        await owner.send(`${lab.url}/api/members/${invited.id}`, { method: "DELETE" });
      }
      expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    });

    it("the operator's link creates a member; a password that someone else may have set does not", async () => {
      const lab = await startLab(await databases.open(engine));
      const [first, second] = [await lab.organization("first"), await lab.organization("second")];
      await lab.member(first, "bob@example.org", "viewer");
      await createUser(lab.identity, { orgId: second, email: "bob@example.org", role: "owner" });
      const byPassword = await signIn(lab, "bob@example.org", PASSWORD);
      expect(await (await byPassword.send(`${lab.url}/api/account`)).text()).not.toContain(second);
      const link = new URL(await createSignInLink(lab.identity, "bob@example.org", { orgId: second }));
      const byLink = new Browser();
      await byLink.send(`${lab.url}${link.pathname}${link.search}`);
      expect(await (await byLink.send(`${lab.url}/api/account`)).text()).toContain(second);
      expect((await byPassword.send(`${lab.url}/api/account`)).status).toBe(401);
    });

    it("the operator cannot demote the last owner, even one who has not accepted the invitation", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("org");
      const create = (email: string, role: "owner" | "viewer") =>
        createUser(lab.identity, { orgId, email, role });
      await create("a@example.org", "owner");
      await expect(create("a@example.org", "viewer")).rejects.toThrow("this is the last owner");
      await create("b@example.org", "owner");
      expect(await create("a@example.org", "viewer")).toBe("viewer");
      await lab.member(orgId, "c@example.org", "owner");
      await expect(create("c@example.org", "viewer")).rejects.toThrow("this is the last owner");
      expect(await create("b@example.org", "viewer")).toBe("viewer");
    });

    it("an invitation never gives access to an existing account: only its owner can accept, with the code", async () => {
      const lab = await startLab(await databases.open(engine));
      const here = await lab.organization("here");
      const elsewhere = await lab.organization("elsewhere");
      const owner = await lab.member(here, "owner@example.org", "owner");
      const person = await lab.member(elsewhere, "person@example.org", "viewer");
      const other = await lab.member(elsewhere, "other@example.org", "viewer");
      const invited = await jsonBody(
        await owner.post(`${lab.url}/api/members`, { email: "person@example.org", role: "admin" }),
      );
      // A new sign-in alone does not accept it, and the account does not show it.
      const again = await signIn(lab, "person@example.org", PASSWORD);
      expect(await (await again.send(`${lab.url}/api/account`)).text()).not.toContain(here);
      expect(await (await person.send(`${invited.accept_url}`)).text()).toContain("Accept the invitation");

      const acceptAs = (browser: Browser, code = codeIn(invited)) =>
        browser.post(`${lab.url}/api/account/invitations/${code}/accept`);
      expect((await acceptAs(other)).status).toBe(404);
      expect((await acceptAs(again, `${invited.id}`)).status).toBe(404);
      expect((await acceptAs(again)).status).toBe(200);
      expect((await acceptAs(again)).status).toBe(200);
      expect((await acceptAs(other)).status).toBe(404);
      expect(await (await again.send(`${lab.url}/api/account`)).text()).toContain(here);
    });

    it("a person without a membership can only accept an invitation", async () => {
      const lab = await startLab(await databases.open(engine));
      const here = await lab.organization("here");
      const elsewhere = await lab.organization("elsewhere");
      const owner = await lab.member(here, "owner@example.org", "owner");
      const boss = await lab.member(elsewhere, "boss@example.org", "owner");
      const person = await lab.member(elsewhere, "person@example.org", "viewer");
      const id = await memberId(lab, elsewhere, "person@example.org");
      await boss.send(`${lab.url}/api/members/${id}`, { method: "DELETE" });
      const credentials = { email: "person@example.org", password: PASSWORD };
      expect((await person.post(`${lab.url}/api/auth/sign-in/email`, credentials)).status).toBe(200);
      for (const path of ["account", "organization", "members", "keys"]) {
        const answer = await person.send(`${lab.url}/api/${path}`);
        expect([path, answer.status]).toEqual([path, 403]);
      }
      const invited = await jsonBody(
        await owner.post(`${lab.url}/api/members`, { email: "person@example.org", role: "viewer" }),
      );
      const accepted = await person.post(`${lab.url}/api/account/invitations/${codeIn(invited)}/accept`);
      expect(accepted.status).toBe(200);
      expect((await person.send(`${lab.url}/api/organization`)).status).toBe(200);
    });

    it("the last owner is neither removed nor demoted, not even by two concurrent requests", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const first = await lab.member(orgId, "a@example.org", "owner");
      const firstId = await memberId(lab, orgId, "a@example.org");
      // An invited owner does not count yet.
      await first.post(`${lab.url}/api/members`, { email: "c@example.org", role: "owner" });
      expect((await patch(lab, first, `/api/members/${firstId}`, { role: "admin" })).status).toBe(400);
      const left = await first.send(`${lab.url}/api/members/${firstId}`, { method: "DELETE" });
      expect(left.status).toBe(400);
      expect((await patch(lab, first, `/api/members/${firstId}`, { role: "owner" })).status).toBe(200);

      const second = await lab.member(orgId, "b@example.org", "owner");
      const secondId = await memberId(lab, orgId, "b@example.org");
      const answers = await Promise.all([
        patch(lab, first, `/api/members/${secondId}`, { role: "viewer" }),
        patch(lab, second, `/api/members/${firstId}`, { role: "viewer" }),
      ]);
      const owners = await lab.db
        .selectFrom("members")
        .select("id")
        .where("org_id", "=", orgId)
        .where("role", "=", "owner")
        .where("status", "=", "active")
        .execute();
      expect(owners).toHaveLength(1);
      expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
    });

    it("an owner signs a member out, of this organization alone; a new session counts again", async () => {
      const lab = await startLab(await databases.open(engine));
      const here = await lab.organization("here");
      const elsewhere = await lab.organization("elsewhere");
      const owner = await lab.member(here, "owner@example.org", "owner");
      const lost = await lab.member(here, "lost@example.org", "admin");
      const both = await lab.member(here, "both@example.org", "admin");
      const { user_id } = await lab.db
        .selectFrom("members")
        .select("user_id")
        .where("email", "=", "both@example.org")
        .executeTakeFirstOrThrow();
      const second = { id: "second", org_id: elsewhere, user_id, email: "both@example.org" };
      await lab.db
        .insertInto("members")
        .values({ ...second, role: "owner", status: "active", created_at: Date.now() })
        .execute();
      const status = async (browser: typeof owner, organization: string) =>
        (await browser.send(`${lab.url}/api/account`, { headers: { "x-organization-id": organization } }))
          .status;
      const signOut = async (by: typeof owner, email: string, organization = here) => {
        const id = await memberId(lab, here, email);
        const headers = { "x-organization-id": organization };
        return (await by.send(`${lab.url}/api/members/${id}/sign-out`, { method: "POST", headers })).status;
      };
      expect(await signOut(both, "lost@example.org", elsewhere)).toBe(404);
      expect(await status(lost, here)).toBe(200);
      expect(await signOut(owner, "lost@example.org")).toBe(204);
      expect(await status(lost, here)).toBe(401);
      expect(await signOut(owner, "both@example.org")).toBe(204);
      expect([await status(both, here), await status(both, elsewhere)]).toEqual([401, 200]);
      expect(await status(owner, here)).toBe(200);
      const { entries } = (await (await owner.send(`${lab.url}/api/audit`)).json()) as {
        entries: { operation: string; object_id: string }[];
      };
      expect(entries.filter(({ operation }) => operation === "members.sign_out")).toHaveLength(2);
      const again = await signIn(lab, "both@example.org", PASSWORD);
      expect(await status(again, here)).toBe(200);
    });

    it("WEB-020 every way to accept an invitation is recorded in the organization that invited, and only there", async () => {
      const lab = await startLab(await databases.open(engine));
      const here = await lab.organization("here");
      const elsewhere = await lab.organization("elsewhere");
      const owner = await lab.member(here, "owner@example.org", "owner");
      const signedIn = await lab.member(elsewhere, "signed-in@example.org", "owner");
      const invite = async (email: string) => {
        const answer = await owner.post(`${lab.url}/api/members`, { email, role: "viewer" });
        return codeIn(await jsonBody(answer));
      };
      const acceptPath = `/api/account/invitations/${await invite("signed-in@example.org")}/accept`;
      expect((await signedIn.post(`${lab.url}${acceptPath}?mode=test`)).status).toBe(200);
      expect((await signedIn.post(`${lab.url}${acceptPath}`)).status).toBe(200);
      const newcomer = new Browser();
      const code = await invite("password@example.org");
      expect((await accept(lab, newcomer, code, PASSWORD)).status).toBe(200);
      await lab.member(here, "link@example.org", "viewer");

      const entries = await lab.db
        .selectFrom("audit_log")
        .selectAll()
        .where("operation", "=", "account.accept_invitation")
        .orderBy("actor")
        .execute();
      const accepted = [];
      for (const email of ["link", "owner", "password", "signed-in"].map(name => `${name}@example.org`)) {
        accepted.push([here, "live", email, await memberId(lab, here, email)]);
      }
      expect(
        entries
          .filter(({ org_id }) => org_id === here)
          .map(({ org_id, mode, actor, object_id }) => [org_id, mode, actor, object_id]),
      ).toEqual(accepted);
      // The owner of the other one came by a link, too.
      expect(entries.filter(({ org_id }) => org_id === elsewhere).map(({ actor }) => actor)).toEqual([
        "signed-in@example.org",
      ]);
      for (const { session_id, changes } of entries) {
        expect(session_id).toBeString();
        expect(JSON.parse(changes)).toMatchObject([
          { object: "members", before: { status: "invited" }, after: { status: "active" } },
        ]);
      }
      expect(entries.find(({ actor }) => actor === "password@example.org")?.ip).toBe("127.0.0.1");
    });

    it("a member of another organization is not found", async () => {
      const lab = await startLab(await databases.open(engine));
      const owner = await lab.member(await lab.organization("here"), "owner@example.org", "owner");
      const elsewhere = await lab.organization("elsewhere");
      await lab.member(elsewhere, "other@example.org", "viewer");
      const id = await memberId(lab, elsewhere, "other@example.org");
      expect((await patch(lab, owner, `/api/members/${id}`, { role: "owner" })).status).toBe(404);
      const removed = await owner.send(`${lab.url}/api/members/${id}`, { method: "DELETE" });
      expect(removed.status).toBe(404);
    });
  });
}
