import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { ProtectedOperationId } from "@tollgate/control/kernel/handler";
import { operations } from "@tollgate/core/contract/operations";
import { ClientError } from "@tollgate/sdk/client-error";
import { refusal } from "../../support/clients/refusal.ts";
import { type SampleIds, sampleRequests } from "../../support/clients/sample-requests.ts";
import { expectIsoTimes } from "../../support/expect-iso-times.ts";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";

const databases = controlDatabases();

/** Operations without anything to act on here. Operations for people only are refused for a key with 403. */
const refused: Partial<Record<ProtectedOperationId, number>> = {
  // One event is too few for a suggestion, so nothing can be applied.
  "agents.optimizations.apply": 400,
  "budgets.resume": 400,
};

for (const engine of engines) {
  describe(`every operation on ${engine}`, () => {
    let lab: ControlLab;
    let client: ReturnType<ControlLab["clientOf"]>;
    let ids: SampleIds;
    let times = 0;
    const changed: ProtectedOperationId[] = [];
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
      ({ client, ids } = await fillOrganization(lab));
    });
    afterAll(() => lab.stop());

    const protectedIds = Object.values(operations).flatMap(({ id, scope }) => (scope === null ? [] : [id]));
    // Deletions come last, so that everything still exists for the others.
    const inOrder = protectedIds.toSorted((a, b) => Number(removes(a)) - Number(removes(b)));

    for (const id of inOrder) {
      it(`WEB-015 ${id} answers according to the contract, with times in ISO 8601`, async () => {
        const call = ask(id);
        const status = isForPeople(id) ? 403 : refused[id];
        if (status === undefined) await call;
        else expect((await refusal(call)).status).toBe(status);
        if (status === undefined && operations[id].method !== "GET") changed.push(id);
      });
    }

    it("WEB-020 each of them that changes something left an entry in the audit log", async () => {
      const { entries } = await client.call("audit.list", { limit: 200 });
      const recorded = new Set(entries.map(({ operation }) => operation));
      expect(changed.filter(id => !recorded.has(id))).toEqual([]);
      expect(changed.length).toBeGreaterThan(35);
    });

    it("WEB-015 found times in those answers", () => {
      expect(times).toBeGreaterThan(100);
    });

    async function ask(id: ProtectedOperationId): Promise<void> {
      // The type of `sampleRequests` pairs each request with its operation; the compiler cannot follow that.
      const call = client.call as (id: string, input: unknown) => Promise<unknown>;
      const output = await call(id, sampleRequests(ids)[id]);
      // The lab has validated the answer against the schema; here it must not be empty, or be a readable file.
      if (output instanceof Response) expect((await output.text()).length).toBeGreaterThan(0);
      else {
        expect(output === undefined).toBe(operations[id].status === 204);
        times += expectIsoTimes(id, output);
      }
    }
  });
}

function isForPeople(id: ProtectedOperationId): boolean {
  return "isForPeople" in operations[id];
}

describe("tiers", () => {
  it("LIM-011 on Starter exactly the five endpoints of the specification are gated, and no other operation", async () => {
    const lab = await startControlLab();
    try {
      const { client, ids } = await fillOrganization(lab, "starter");
      const call = client.call as (id: string, input: unknown) => Promise<unknown>;
      // The tier includes one budget, which this test creates.
      await client.call("budgets.delete", { id: ids.budget });
      const gated: string[] = [];
      for (const { id, scope } of Object.values(operations)) {
        if (scope === null) continue;
        const status = await call(id, sampleRequests(ids)[id]).then(
          () => 0,
          fault => (fault instanceof ClientError ? fault.status : Promise.reject(fault)),
        );
        if (status === 402) gated.push(id);
      }
      expect(gated.toSorted()).toEqual([
        "alerts.preferences.get",
        "alerts.preferences.update",
        "alerts.test",
        "cost_leak_scan.run",
        "suggestions.list",
      ]);
    } finally {
      await lab.stop();
    }
  });
});

function removes(id: ProtectedOperationId): boolean {
  return /\.(delete|remove|revoke)$/.test(id);
}
