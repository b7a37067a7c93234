import { describe, expect, it } from "bun:test";
import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/features/auth/create-user";
import { roles } from "@tollgate/core/contract/operation";
import { Browser } from "../../support/clients/browser-session.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type Lab, PASSWORD, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

const patch = (lab: Lab, browser: Browser, path: string, body: unknown) =>
  browser.send(`${lab.url}${path}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

for (const engine of systemEngines) {
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
      const raise = await fetch(`${lab.url}/api/members/${await lab.memberId(orgId, "admin@example.org")}`, {
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

    it("the operator's link creates a member; a password that someone else may have set does not", async () => {
      const lab = await startLab(await databases.open(engine));
      const [first, second] = [await lab.organization("first"), await lab.organization("second")];
      await lab.member(first, "bob@example.org", "viewer");
      await createUser(lab.identity, { orgId: second, email: "bob@example.org", role: "owner" });
      const byPassword = await lab.signIn("bob@example.org", PASSWORD);
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

    it("the last owner is neither removed nor demoted, not even by two concurrent requests", async () => {
      const lab = await startLab(await databases.open(engine));
      const orgId = await lab.organization("first");
      const first = await lab.member(orgId, "a@example.org", "owner");
      const firstId = await lab.memberId(orgId, "a@example.org");
      // An invited owner does not count yet.
      await first.post(`${lab.url}/api/members`, { email: "c@example.org", role: "owner" });
      expect((await patch(lab, first, `/api/members/${firstId}`, { role: "admin" })).status).toBe(400);
      const left = await first.send(`${lab.url}/api/members/${firstId}`, { method: "DELETE" });
      expect(left.status).toBe(400);
      expect((await patch(lab, first, `/api/members/${firstId}`, { role: "owner" })).status).toBe(200);

      const second = await lab.member(orgId, "b@example.org", "owner");
      const secondId = await lab.memberId(orgId, "b@example.org");
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
        const id = await lab.memberId(here, email);
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
      const again = await lab.signIn("both@example.org", PASSWORD);
      expect(await status(again, here)).toBe(200);
    });

    it("a member of another organization is not found", async () => {
      const lab = await startLab(await databases.open(engine));
      const owner = await lab.member(await lab.organization("here"), "owner@example.org", "owner");
      const elsewhere = await lab.organization("elsewhere");
      await lab.member(elsewhere, "other@example.org", "viewer");
      const id = await lab.memberId(elsewhere, "other@example.org");
      expect((await patch(lab, owner, `/api/members/${id}`, { role: "owner" })).status).toBe(404);
      const removed = await owner.send(`${lab.url}/api/members/${id}`, { method: "DELETE" });
      expect(removed.status).toBe(404);
    });
  });
}
