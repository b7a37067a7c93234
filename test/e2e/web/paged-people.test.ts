import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

describe("keys and members", () => {
  it("are paged, each once, even those of the same millisecond", async () => {
    const { client } = await lab.organization();
    for (let made = 0; made < 4; made++) {
      if (made === 2) lab.clock.advance(1000);
      await client.call("keys.create", { name: `key ${made}` });
      await client.call("members.invite", { email: `person-${made}@example.org`, role: "viewer" });
    }
    // Three existed before.
    const keys = await client.call("keys.list", {});
    expect(keys.keys).toHaveLength(7);
    expect(keys.next_cursor).toBeNull();
    const walked: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { keys: { id: string }[]; next_cursor: string | null } = await client.call("keys.list", {
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(page.keys.length).toBeLessThanOrEqual(2);
      walked.push(...page.keys.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(walked).toEqual(keys.keys.map(({ id }) => id));

    const { members } = await client.call("members.list", {});
    const first = await client.call("members.list", { limit: 3 });
    const second = await client.call("members.list", { limit: 3, cursor: first.next_cursor ?? "" });
    expect([...first.members, ...second.members]).toEqual(members);
    expect(members.map(({ email }) => email).toSorted()).toEqual(
      [0, 1, 2, 3].map(made => `person-${made}@example.org`),
    );
    expect(second.next_cursor).toBeNull();
  });

  it("return a full page with a limit above the maximum, without an error", async () => {
    const { client } = await lab.organization();
    for (const limit of [501, 1_000_000]) {
      expect((await client.call("keys.list", { limit })).keys).toHaveLength(3);
      expect((await client.call("members.list", { limit })).members).toHaveLength(0);
    }
  });
});
