import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type AnyOperation, roles } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { specEndpoints } from "../../spec-surface.ts";
import { sampleRequests } from "../../support/clients/sample-requests.ts";
import { toRequest } from "../../support/clients/to-request.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";

let lab: ControlLab;
let mine: Awaited<ReturnType<typeof fillOrganization>>;
let foreign: Awaited<ReturnType<typeof fillOrganization>>;
let asked = 0;

beforeAll(async () => {
  lab = await startControlLab();
  mine = await fillOrganization(lab);
  foreign = await fillOrganization(lab);
});
afterAll(async () => {
  console.log(`access: ${asked} requests over ${protectedOperations.length} operations`);
  await lab.stop();
});

const protectedOperations = Object.values<AnyOperation>(operations).filter(({ scope }) => scope !== null);

/** Requests by operation; every protected operation has one. */
function samples(of: typeof mine): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return sampleRequests(of.ids);
}

async function ask(operation: AnyOperation, of: typeof mine, headers: Record<string, string>) {
  const { path, method, body } = toRequest(operation, samples(of)[operation.id] ?? {});
  asked++;
  const answer = await lab.send(path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, text };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Ids that no other organization may see. Sessions of an account belong to the person. */
const idsOf = (input: Readonly<Record<string, unknown>>) =>
  ["id", "orgId", "agent_id", "alert_ids"].some(name => name in input);

describe("access to operations", () => {
  for (const operation of protectedOperations) {
    it(`AUTH-005 ${operation.id} without a credential, or with a wrong one, is 401 and reveals nothing else`, async () => {
      for (const headers of [
        {},
        bearer("sk_live_wrong"),
        bearer(""),
        { cookie: "tollgate.session_token=x.y" },
      ]) {
        const { status, text } = await ask(operation, mine, headers);
        expect([operation.id, status]).toEqual([operation.id, 401]);
        expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
      }
      // Nor does invalid JSON, or an unknown path.
      const { path } = toRequest(operation, { id: "nothing", orgId: "nothing" });
      const broken = await lab.send(path, {
        method: operation.method,
        ...(operation.method === "GET" ? {} : { body: "{" }),
      });
      expect(broken.status).toBe(401);
      asked++;
    });

    it(`AUTH-006 AUTH-007 ${operation.id} with a read key is ${operation.scope === "write" ? "403" : "answered"}`, async () => {
      const { status, text } = await ask(operation, mine, bearer(mine.readKey));
      if (operation.scope === "write") {
        expect([operation.id, status]).toEqual([operation.id, 403]);
        expect(JSON.parse(text)).toEqual({ error: expect.stringContaining("read") });
      } else if (operation.isForPeople) {
        expect(status).toBe(403);
      } else {
        expect([operation.id, status]).toEqual([operation.id, 200]);
      }
    });

    it(`${operation.id} is refused for members below ${operation.role}`, async () => {
      for (const role of roles.slice(0, roles.indexOf(operation.role))) {
        const browser = await memberOf(role);
        const { path, method, body } = toRequest(operation, samples(mine)[operation.id] ?? {});
        const answer = await browser.send(lab.url + path, {
          method,
          headers: { "content-type": "application/json" },
          ...(body === undefined ? {} : { body }),
        });
        asked++;
        expect([operation.id, role, answer.status]).toEqual([operation.id, role, 403]);
        expect(await answer.json()).toEqual({ error: expect.stringContaining(operation.role) });
      }
    });

    it(`SEC-004 ${operation.id} answers the same for another organization's objects and for missing ones`, async () => {
      const input = samples(foreign)[operation.id] ?? {};
      const { status, text } = await ask(operation, foreign, bearer(mine.liveKey));
      expect(status).toBeLessThan(500);
      if (
        idsOf(input) &&
        !operation.path.startsWith("/api/queue/") &&
        operation.id !== "account.sessions.end" &&
        operation.id !== "account.accept_invitation"
      ) {
        expect([operation.id, status]).toEqual([operation.id, 404]);
      }
      for (const id of Object.values(foreign.ids)) expect(text).not.toContain(id);
    });

    it(`AUTH-003 ${operation.id} is 403 for a suspended or inactive organization`, async () => {
      const suspended = await lab.organization();
      for (const status of ["suspended", "inactive"]) {
        await lab.db.updateTable("organizations").set({ status }).where("id", "=", suspended.id).execute();
        const { status: answered, text } = await ask(operation, mine, bearer(suspended.liveKey));
        expect([operation.id, answered]).toEqual([operation.id, 403]);
        expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
      }
    });
  }

  for (const { method, path } of specEndpoints) {
    const name = `${method} ${path}`;
    it(`${name} of the specification is 401 without a credential`, async () => {
      const answer = await lab.send(path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), { method });
      expect([name, answer.status]).toEqual([name, 401]);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    });
  }

  it("nothing in the other organization was changed", async () => {
    const { client, ids } = foreign;
    expect((await client.call("budgets.list")).budgets.map(budget => budget.id)).toEqual([ids.budget]);
    expect((await client.call("webhooks.list")).webhooks.map(webhook => webhook.id)).toEqual([ids.webhook]);
    expect((await client.call("outcomes.get", { id: ids.outcome })).confirmed_by).toBeNull();
    expect((await client.call("alerts.list")).alerts.map(({ is_read }) => is_read)).toEqual([false]);
    expect((await client.call("agents.get", { id: ids.agent })).updated_at).toBe(
      (await client.call("agents.get", { id: ids.agent })).created_at,
    );
  });
});

const members = new Map<string, Promise<Awaited<ReturnType<ControlLab["member"]>>>>();
function memberOf(role: "viewer" | "admin" | "owner") {
  const known = members.get(role) ?? lab.member(mine.id, role);
  members.set(role, known);
  return known;
}
