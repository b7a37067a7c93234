import { describe, expect, it } from "bun:test";
import { roles } from "@tollgate/core/contract/operation";
import { controlDatabases, engines } from "../../support/control-databases.ts";
import { jsonBody } from "../../support/json-body.ts";
import { Browser } from "./browser.ts";
import { type Lab, PASSWORD, startLab } from "./identity-lab.ts";

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

for (const engine of engines) {
  describe(`organizations and members, ${engine}`, () => {
    it("WEB-012 a viewer reads, an admin also writes, an owner also decides about members and the organization", async () => {
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

    it("a key can do no more than whoever made it: an admin's makes nobody an owner", async () => {
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

    it("WEB-012 who is invited without an account gets one link, signs in with it and is a member", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const owner = await lab.member(orgId, "a@example.org", "owner");
      const invite = () =>
        owner.post(`${lab.url}/api/members`, { email: " New@Example.org ", role: "admin" });
      const answer = await invite();
      expect(answer.status).toBe(201);
      const invited = await jsonBody(answer);
      expect(invited).toMatchObject({ email: "new@example.org", role: "admin", status: "invited" });
      expect((await invite()).status).toBe(400);

      const newcomer = new Browser();
      const [place] = await newcomer.follow(`${invited.sign_in_url}`);
      expect(place).toBe(`${lab.url}/welcome`);
      const account = await jsonBody(await newcomer.send(`${lab.url}/api/account`));
      expect(account).toMatchObject({ memberships: [{ organization: { id: orgId }, role: "admin" }] });
      const list = await (await owner.send(`${lab.url}/api/members`)).text();
      expect(list).not.toContain("magic-link");
      expect(list).not.toContain("invited");
    });

    it("whose link grew too old can be invited again; the old link is spent", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const owner = await lab.member(orgId, "a@example.org", "owner");
      const invitation = { email: "new@example.org", role: "viewer" };
      const first = await jsonBody(await owner.post(`${lab.url}/api/members`, invitation));
      const removed = await owner.send(`${lab.url}/api/members/${first.id}`, { method: "DELETE" });
      expect(removed.status).toBe(204);
      const again = await jsonBody(await owner.post(`${lab.url}/api/members`, invitation));
      const late = new Browser();
      await late.follow(`${first.sign_in_url}`);
      expect((await late.send(`${lab.url}/api/account`)).status).toBe(401);
      await late.follow(`${again.sign_in_url}`);
      expect((await late.send(`${lab.url}/api/account`)).status).toBe(200);
    });

    it("an invitation never hands over an existing account: its owner accepts, with the id, alone", async () => {
      const lab = await startLab(await databases.open(engine));
      const here = await lab.organization("here");
      const elsewhere = await lab.organization("elsewhere");
      const owner = await lab.member(here, "owner@example.org", "owner");
      const person = await lab.member(elsewhere, "person@example.org", "viewer");
      const other = await lab.member(elsewhere, "other@example.org", "viewer");
      const invited = await jsonBody(
        await owner.post(`${lab.url}/api/members`, { email: "person@example.org", role: "admin" }),
      );
      expect(invited.sign_in_url).toBeUndefined();
      expect(invited.accept_url).toBe(`${lab.url}/welcome?invitation=${invited.id}`);
      // A new sign-in alone does not accept it, and the account is not told its id.
      await person.post(`${lab.url}/api/auth/sign-out`);
      const again = await lab.member(elsewhere, "person@example.org", "viewer");
      const before = await (await again.send(`${lab.url}/api/account`)).text();
      expect(before).not.toContain(here);
      expect(before).not.toContain(`${invited.id}`);

      const accept = (browser: Browser) =>
        browser.post(`${lab.url}/api/account/invitations/${invited.id}/accept`);
      expect((await accept(other)).status).toBe(404);
      expect((await accept(again)).status).toBe(200);
      expect((await accept(again)).status).toBe(200);
      expect((await accept(other)).status).toBe(404);
      const after = await (await again.send(`${lab.url}/api/account`)).text();
      expect(after).toContain(here);
    });

    it("somebody who belongs to nothing can do one thing: accept an invitation", async () => {
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
      const accepted = await person.post(`${lab.url}/api/account/invitations/${invited.id}/accept`);
      expect(accepted.status).toBe(200);
      expect((await person.send(`${lab.url}/api/organization`)).status).toBe(200);
    });

    it("the last owner is neither removed nor demoted, not even by two at the same moment", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const first = await lab.member(orgId, "a@example.org", "owner");
      const firstId = await memberId(lab, orgId, "a@example.org");
      // An invitation is no owner yet.
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
