import { describe, expect, it } from "bun:test";
import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import type { ProposalDraft } from "./draft-proposals.ts";
import { storeProposals } from "./store-proposals.ts";

const databases = controlDatabases();
const scope = { orgId: "org", mode: "live" } as const;
const NOW = 1_763_200_000_000;

describe.each([...engines])("stored proposals on %s", engine => {
  it("LOOP-012 stay applied if somebody made the change after they were drafted", async () => {
    const { db } = await databases.open(engine);
    await db
      .insertInto("organizations")
      .values({ id: "org", name: "o", tier: "pro", status: "active", hash_salt: "s", created_at: 0 })
      .execute();
    const draft: ProposalDraft = {
      key: "model_switch:a:gpt-4.1-nano",
      source: "verdict",
      sourceId: "v",
      agentId: "a",
      action: "model_switch",
      payload: { model: "gpt-4.1-nano" },
      impact: toEnvelope({ method: "sum", value: 1 }, NOW),
      blockedReason: null,
    };
    const store = () =>
      storeProposals({ db, engine, now: () => NOW, newId: () => crypto.randomUUID() }, scope, [draft]);
    const statuses = async () =>
      (await db.selectFrom("proposals").select("status").execute()).map(row => row.status);
    await store();
    expect(await statuses()).toEqual(["open"]);
    await db
      .insertInto("optimizations")
      .values({
        id: "o",
        org_id: "org",
        mode: "live",
        agent_id: "a",
        agent_key: "a",
        optimization_type: "model_switch",
        payload: '{"model":"gpt-4.1-nano"}',
        source: "verdict:v",
        applied_by: "somebody",
        applied_at: NOW,
        undone_at: null,
      })
      .execute();
    await store();
    expect(await statuses()).toEqual(["applied"]);
    await db.updateTable("optimizations").set({ undone_at: NOW }).execute();
    await store();
    expect(await statuses()).toEqual(["open"]);
  });
});
