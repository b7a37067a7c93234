import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { next, watch } from "../live/watch.ts";
import { type ControlLab, startControlLab } from "./control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

/** An organization with three calls, each of a session, customer and config version of its own. */
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

describe("places in lists and in the live channel", () => {
  it("are words of one organization and one list: another's are refused", async () => {
    const [ours, theirs] = [await organizationWithCalls(), await organizationWithCalls()];
    const lists = ["events.list", "sessions.list", "customers.list", "config_versions.list"] as const;
    for (const list of lists) {
      const { next_cursor: cursor } = await ours.client.call(list, { limit: 1 });
      if (cursor === null) throw new Error(`${list} has one page`);
      expect((await ours.client.call(list, { limit: 1, cursor })).next_cursor).not.toBeNull();
      const refused = { status: 400, message: expect.stringContaining("cursor") };
      expect(theirs.client.call(list, { limit: 1, cursor })).rejects.toMatchObject(refused);
      expect(ours.testClient.call(list, { limit: 1, cursor })).rejects.toMatchObject(refused);
      const other = list === "events.list" ? "sessions.list" : "events.list";
      expect(ours.client.call(other, { limit: 1, cursor })).rejects.toMatchObject(refused);
    }
  });

  it("do not show the numbers that all organizations share", async () => {
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
