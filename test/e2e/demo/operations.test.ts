import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { OutputOf, Role } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { Browser } from "../../support/clients/browser-session.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

type Demo = OutputOf<Operations["demo.get"]>;

const databases = controlDatabases();

/** Without a gateway: the data itself is tested with real processes. */
for (const engine of systemEngines) {
  describe(`the demo on ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
      // Members of the lab join by the real clock, and the oldest membership is the default.
      lab.clock.advance(Math.max(0, Date.now() + 60_000 - lab.clock.now()));
    });
    afterAll(() => lab.stop());

    const send = async (
      person: Browser,
      method: "GET" | "POST" | "DELETE",
      orgId?: string,
    ): Promise<Demo & { readonly httpStatus: number }> => {
      const answer = await person.send(`${lab.url}/api/demo`, {
        method,
        headers: {
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
          ...(orgId === undefined ? {} : { "x-organization-id": orgId }),
        },
      });
      return { httpStatus: answer.status, ...((await answer.json()) as Demo) };
    };
    const memberships = async (person: Browser): Promise<string[]> => {
      const answer = await person.send(`${lab.url}/api/account`);
      const { memberships: found } = (await answer.json()) as OutputOf<Operations["account.get"]>;
      return found.map(({ organization }) => organization.id);
    };
    const ended = (person: Browser) =>
      eventually("adding it has ended", async () => (await send(person, "GET")).status !== "adding");
    const rowOf = (orgId: string | undefined) =>
      lab.db
        .selectFrom("demos")
        .selectAll()
        .where("org_id", "=", orgId ?? "")
        .executeTakeFirstOrThrow();

    it("is for signed-in admins and owners: keys and viewers are refused", async () => {
      const { id, liveKey, testKey } = await lab.organization();
      for (const key of [liveKey, testKey]) {
        expect((await lab.send("/api/demo", { method: "POST", key })).status).toBe(403);
      }
      const viewer = await lab.member(id, "viewer");
      const refused = await Promise.all([send(viewer, "GET"), send(viewer, "POST"), send(viewer, "DELETE")]);
      expect(refused.map(({ httpStatus }) => httpStatus)).toEqual([403, 403, 403]);
      const admin = await lab.member(id, "admin");
      expect(await send(admin, "GET")).toMatchObject({ httpStatus: 200, status: "none", organization: null });
    });

    /**
     * Without a gateway a demo fails at once; on a busy machine perhaps before the second person asks, and is replaced:
     * then two others of another organization try.
     */
    async function addTogether(...roles: readonly [Role, Role]) {
      for (;;) {
        const { id } = await lab.organization("starter");
        const people = [await lab.member(id, roles[0]), await lab.member(id, roles[1])] as const;
        const added = await Promise.all(people.map(person => send(person, "POST")));
        expect(added.map(({ httpStatus }) => httpStatus)).toEqual([202, 202]);
        const [demo, other] = added.map(({ organization }) => organization?.id);
        if (demo !== undefined && demo === other) return { id, people, demo };
      }
    }

    it("two people who add it at once get one demo, as its owners; their own organization stays the default", async () => {
      const { id, people, demo } = await addTogether("owner", "admin");
      for (const person of people) expect(await memberships(person)).toEqual([id, demo]);
      const [first] = people;
      // Inside the demo, the demo itself is meant.
      await ended(first);
      expect((await send(first, "GET", demo)).organization?.id).toBe(demo);
      expect(await send(first, "DELETE", demo)).toMatchObject({ httpStatus: 200, status: "none" });
      for (const person of people) expect(await memberships(person)).toEqual([id]);
    });

    it("fails with its reason if there is no gateway, and adding it again replaces it", async () => {
      const { id } = await lab.organization();
      const owner = await lab.member(id, "owner");
      const first = await send(owner, "POST");
      await ended(owner);
      expect(await send(owner, "GET")).toMatchObject({
        status: "failed",
        error: "no gateway runs beside the control plane",
        organization: { id: first.organization?.id },
      });
      const second = await send(owner, "POST");
      expect(second.organization?.id).not.toBe(first.organization?.id ?? "");
      expect(await memberships(owner)).toEqual([id, second.organization?.id ?? ""]);
      expect((await rowOf(first.organization?.id)).status).toBe("removed");
    });

    it("a demo whose process died fails, and one whose process lives does not", async () => {
      const { id } = await lab.organization();
      const owner = await lab.member(id, "owner");
      const demo = (await send(owner, "POST")).organization?.id ?? "";
      await ended(owner);
      const heartbeat = (at: number) =>
        lab.db
          .updateTable("demos")
          .set({ status: "adding", error: null, runner: "another process", heartbeat_at: at })
          .where("org_id", "=", demo)
          .execute();
      await heartbeat(lab.clock.now());
      // A later demo shows that the watcher has looked at all of them since.
      const other = await lab.organization();
      const neighbour = await lab.member(other.id, "owner");
      await send(neighbour, "POST");
      await ended(neighbour);
      expect((await send(owner, "GET")).status).toBe("adding");

      await heartbeat(lab.clock.now() - 31_000);
      await ended(owner);
      expect(await send(owner, "GET")).toMatchObject({
        status: "failed",
        error: "Tollgate stopped while the demo was being added",
      });
    });

    it("has no keys for clients, because its tier is not the one that was paid for", async () => {
      const { id } = await lab.organization("starter");
      const owner = await lab.member(id, "owner");
      const demo = (await send(owner, "POST")).organization?.id ?? "";
      await ended(owner);
      const inDemo = { "x-organization-id": demo };
      const key = await lab.createKey(demo, "test", "write");
      const answers = [
        await owner.post(`${lab.url}/api/keys?mode=test`, {}, inDemo),
        await owner.post(`${lab.url}/api/keys`, { mode: "live" }, inDemo),
        await lab.send("/api/keys", {
          method: "POST",
          key,
          headers: { "content-type": "application/json" },
          body: "{}",
        }),
      ];
      for (const answer of answers) {
        expect([answer.status, await answer.json()]).toEqual([
          400,
          { error: expect.stringContaining("A demo has no keys for clients") },
        ]);
      }
      expect((await owner.post(`${lab.url}/api/keys`, {})).status).toBe(201);
    });

    it("SEC-010 a member who is removed from its home leaves it too, with their keys, and their sessions end", async () => {
      const { id, people, demo } = await addTogether("owner", "admin");
      const [boss, person] = people;
      await ended(boss);
      const membersOf = (orgId: string) =>
        lab.db
          .selectFrom("members")
          .select(["id", "user_id", "role"])
          .where("org_id", "=", orgId)
          .orderBy("role")
          .execute();
      const [removed] = await membersOf(id);
      expect(removed?.role).toBe("admin");
      // As an older version could create it.
      const key = await lab.createKey(demo, "test", "write");
      const keys = lab.db.updateTable("api_keys").where("org_id", "=", demo).where("revoked_at", "is", null);
      await keys.set({ created_by_user: removed?.user_id ?? "" }).execute();
      expect((await lab.send("/api/analytics", { key })).status).toBe(200);

      const answer = await boss.send(`${lab.url}/api/members/${removed?.id}`, { method: "DELETE" });
      expect(answer.status).toBe(204);
      expect((await membersOf(demo)).map(({ user_id }) => user_id)).not.toContain(removed?.user_id ?? null);
      expect(await membersOf(demo)).toHaveLength(1);
      expect((await lab.send("/api/analytics", { key })).status).toBe(401);
      const { revoked_at } = await lab.db
        .selectFrom("api_keys")
        .select("revoked_at")
        .where("digest", "=", digestOf(key))
        .executeTakeFirstOrThrow();
      expect(revoked_at).not.toBeNull();
      expect((await person.send(`${lab.url}/api/account`)).status).toBe(401);
      expect((await boss.send(`${lab.url}/api/account`)).status).toBe(200);
    });

    it("removing it, also twice or at once, leaves nothing to see and touches no other organization", async () => {
      const { id, client, addEvents } = await lab.organization();
      await addEvents({ agent_key: "ours" });
      const before = await client.call("analytics.get");
      const owner = await lab.member(id, "owner");
      const demo = (await send(owner, "POST")).organization?.id ?? "";
      await ended(owner);
      const key = await lab.createKey(demo, "test", "write");
      expect((await lab.send("/api/analytics", { key })).status).toBe(200);

      const removed = await Promise.all([send(owner, "DELETE"), send(owner, "DELETE")]);
      expect(removed.map(({ httpStatus, status }) => [httpStatus, status])).toEqual([
        [200, "none"],
        [200, "none"],
      ]);
      expect(await send(owner, "GET")).toMatchObject({ status: "none", organization: null });
      expect(await memberships(owner)).toEqual([id]);
      expect((await lab.send("/api/analytics", { key })).status).toBe(401);
      expect((await send(owner, "GET", demo)).httpStatus).toBe(404);
      expect(await client.call("analytics.get")).toMatchObject({
        summary: { total_calls: before.summary.total_calls },
      });
      expect((await send(owner, "DELETE")).status).toBe("none");
    });
  });
}
