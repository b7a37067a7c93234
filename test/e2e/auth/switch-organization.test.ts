import { expect, it } from "bun:test";
import { jsonBody } from "../../support/clients/json-body.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

it.each(systemEngines)(
  "WEB-012 a session is switched between organizations of its person, and to no other, on %s",
  async engine => {
    const lab = await startLab(await databases.open(engine));
    const [first, second, foreign] = [
      await lab.organization("first"),
      await lab.organization("second"),
      await lab.organization("foreign"),
    ];
    const browser = await lab.member(first, "person@example.org", "owner");
    const { user_id } = await lab.db
      .selectFrom("members")
      .select("user_id")
      .where("org_id", "=", first)
      .executeTakeFirstOrThrow();
    const member = { id: "second-member", org_id: second, user_id, email: "person@example.org" };
    await lab.db
      .insertInto("members")
      .values({ ...member, role: "viewer", status: "active", created_at: Date.now() })
      .execute();
    const current = async () => (await jsonBody(await browser.send(`${lab.url}/api/organization`))).id;
    const change = (organization_id: string) =>
      browser.post(`${lab.url}/api/account/organization`, { organization_id });

    expect(await current()).toBe(first);
    const switched = await change(second);
    expect([switched.status, await jsonBody(switched)]).toEqual([
      200,
      { organization: { id: second, name: "second" }, role: "viewer" },
    ]);
    expect(await current()).toBe(second);
    // The role is that of the other organization.
    expect((await browser.post(`${lab.url}/api/keys`, {})).status).toBe(403);
    expect((await change(foreign)).status).toBe(404);
    expect(await current()).toBe(second);

    await lab.db.deleteFrom("members").where("id", "=", member.id).execute();
    expect(await current()).toBe(first);
  },
);
