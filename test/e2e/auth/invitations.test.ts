import { describe, expect, it } from "bun:test";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type Lab, PASSWORD, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

const codeIn = ({ accept_url }: { accept_url?: unknown }) =>
  new URL(`${accept_url}`).searchParams.get("invitation") ?? "";

const accept = (lab: Lab, browser: Browser, invitation: string, password: string, origin = lab.url) =>
  browser.post(`${lab.url}/api/auth/invitations/accept`, { invitation, password }, { origin });

for (const engine of systemEngines) {
  describe(`invitations, ${engine}`, () => {
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
      const again = await lab.signIn("new@example.org", PASSWORD);
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
        await organizationsOf(await lab.signIn("bob@example.org", "bob's own password"));
      const asFake = async () =>
        await organizationsOf(await lab.signIn("bob@example.org", "the squatter's password"));
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
      const again = await lab.signIn("person@example.org", PASSWORD);
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
      const id = await lab.memberId(elsewhere, "person@example.org");
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
        accepted.push([here, "live", email, await lab.memberId(here, email)]);
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
  });
}
