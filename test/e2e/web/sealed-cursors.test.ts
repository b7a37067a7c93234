import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { next, watch } from "../../support/clients/watch.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

/** An organization with three calls, each with its own session, customer and config version. */
async function organizationWithCalls() {
  const organization = await lab.organization();
  await organization.addEvents(
    ...["one", "two", "three"].map(name => ({
      session_id: name,
      customer_id: name,
      config_version: name,
      agent_key: name,
      created_at: lab.clock.now() - 3_600_000,
    })),
  );
  return organization;
}

function idsIn(answer: object): string[] {
  const rows = Object.values(answer).find(value => Array.isArray(value)) as readonly { id: string }[];
  return rows.map(({ id }) => id);
}

describe("cursors of lists and of the live channel", () => {
  it("are valid for one organization and one list: others are refused", async () => {
    const [ours, theirs] = [await organizationWithCalls(), await organizationWithCalls()];
    const lists = ["events.list", "sessions.list", "customers.list", "config_versions.list"] as const;
    for (const list of lists) {
      const { next_cursor: cursor } = await ours.client.call(list, { limit: 1 });
      if (cursor === null) throw new Error(`${list} has one page`);
      expect((await ours.client.call(list, { limit: 1, cursor })).next_cursor).not.toBeNull();
      const refused = { status: 400, message: expect.stringContaining("cursor") };
      await expect(theirs.client.call(list, { limit: 1, cursor })).rejects.toMatchObject(refused);
      await expect(ours.testClient.call(list, { limit: 1, cursor })).rejects.toMatchObject(refused);
      const other = list === "events.list" ? "sessions.list" : "events.list";
      await expect(ours.client.call(other, { limit: 1, cursor })).rejects.toMatchObject(refused);
    }
  });

  it("made of a time and an id are compared only with the caller's own rows", async () => {
    const organizations = [await organizationWithCalls(), await organizationWithCalls()] as const;
    for (const name of ["one", "two", "three"]) {
      for (const { client } of organizations) {
        lab.clock.advance(1000);
        await client.call("keys.create", { name });
        await client.call("members.invite", { email: `${name}@example.org`, role: "viewer" });
        await client.call("outcomes.create", { name });
      }
    }
    for (const [ours, theirs] of [organizations, organizations.toReversed()]) {
      if (ours === undefined || theirs === undefined) throw new Error("there are two");
      for (const list of ["keys.list", "members.list", "outcomes.list", "agents.list"] as const) {
        const { next_cursor: cursor } = await ours.client.call(list, { limit: 1 });
        if (cursor === null) throw new Error(`${list} has one page`);
        const foreign = idsIn(await ours.client.call(list, {}));
        const shown = idsIn(await theirs.client.call(list, { cursor }));
        expect([list, shown.filter(id => foreign.includes(id))]).toEqual([list, []]);
        // An agent's position is found by its id, which is not among ours.
        if (list === "agents.list") expect(shown).toEqual([]);
        else expect(shown).not.toEqual([]);
      }
    }
  });

  it("do not reveal numbers shared by all organizations", async () => {
    const { client, readKey, addEvents } = await organizationWithCalls();
    const watching = await watch(lab.url, { key: readKey });
    await next(watching, "totals", () => watching.subscribe(["events", "totals", "agents", "topology"]));
    await addEvents({});
    const told = await next(watching, "events", () => addEvents({}));
    expect(told.seq).toMatch(/^[\w-]{22}$/);
    expect(new Set(watching.messages.map(({ seq }) => seq)).size).toBeGreaterThan(1);
    const { next_cursor: cursor } = await client.call("events.list", { limit: 1 });
    for (const word of [told.seq, cursor ?? ""]) {
      expect(Buffer.from(word, "base64url").toString("latin1")).not.toMatch(/^\d+\.\d+$/);
    }
    await watching.close();
  });
});
