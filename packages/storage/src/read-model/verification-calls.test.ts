import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import { followProfile } from "../profile/follow-profile.ts";
import { verifyProfile } from "../profile/verify-profile.ts";
import { verifyReadModel } from "./deriving/verify-read-model.ts";

const open = readModelLab();
const scope = { orgId: "org", mode: "live" } as const;
const window = { from: SAMPLE_DAY - 86_400_000, to: SAMPLE_DAY + 2 * 86_400_000 };

const ofVerification = (source: "shadow" | "judge"): Partial<Event> => ({
  source,
  status: "error",
  pair: { request_id: "v", pair_id: "own", kind: "candidate", result: null },
});

describe.each(engines)("calls of a verification, on %s", engine => {
  it("LOOP-030 cost the organization money, and are excluded from the agent's numbers", async () => {
    const { database, ledger, reader, follower, model } = await open(engine);
    const own = sampleSettlement("own");
    const { org_id, agent_key, cost_microcents: cost } = own.event;
    expect({ org_id, cost }).toEqual({ org_id: scope.orgId, cost: expect.any(Number) });
    await ledger.append([
      own,
      sampleSettlement("shadow", ofVerification("shadow")),
      sampleSettlement("judge", ofVerification("judge")),
    ]);
    await follower.catchUp();
    const profile = followProfile(database, reader, { contextWindowOf: () => null });
    await profile.catchUp();

    const { totals } = await model.usage(scope, window);
    expect(totals).toMatchObject({ calls: 3, errors: 2, cost_microcents: 3 * cost });
    const { agents, verifications } = await model.usageByAgent(scope, window);
    expect(agents).toMatchObject([{ agent_key, calls: 1, errors: 0, cost_microcents: cost }]);
    expect(verifications).toMatchObject({ calls: 2, errors: 2, cost_microcents: 2 * cost });
    const listed = async (filter: { agentKey?: string }) =>
      (await model.events(scope, { ...window, ...filter }, 10)).rows.map(({ event }) => event.id).sort();
    expect(await listed({})).toHaveLength(3);
    expect(await listed({ agentKey: agent_key })).toEqual([own.event.id]);
    const days = await database.db.selectFrom("profile_days").select(["calls", "errors"]).execute();
    expect(days).toEqual([{ calls: 1, errors: 0 }]);
    expect(reader.monthlyCalls()).toMatchObject([{ calls: 1 }]);
    expect(verifyLedger(reader)).toMatchObject({ ok: true });
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect(await verifyProfile(database)).toEqual([]);
  });
});
