import { expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { organizationRow } from "../../../../../test/support/labs/organization-row.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { sampleSettlement } from "../../../../../test/support/sample-event.ts";
import { followProfile } from "../../profile/follow-profile.ts";

const open = readModelLab();
const NOW = Date.UTC(2026, 10, 18, 12);

it.each(engines)(
  "LOOP-004 a session counts for each agent from its own first call, with its outcome, in %s",
  async engine => {
    const { database, ledger, reader, follower, model } = await open(engine);
    const call = (id: string, agent_key: string, session_id: string, daysAgo: number) =>
      sampleSettlement(id, { agent_key, session_id, created_at: NOW - daysAgo * DAY_MS });
    const sample = call("one", "starter", "long", 40);
    await ledger.append([
      sample,
      call("two", "joiner", "long", 1),
      call("three", "starter", "long", 1),
      call("four", "starter", "short", 2),
      call("five", "starter", "other", 3),
    ]);
    await follower.catchUp();
    await followProfile(database, reader, { contextWindowOf: () => null }).catchUp();
    const { org_id, mode } = sample.event;
    await database.db
      .insertInto("organizations")
      .values(organizationRow({ id: org_id }))
      .execute();
    for (const [id, session_id] of [
      ["1", "long"],
      ["2", "long"],
      ["3", "short"],
    ] as const) {
      await database.db
        .insertInto("outcomes")
        .values({
          ...{ id, org_id, mode, session_id, name: "done", source: "manual" },
          ...{ success: 1, metadata: "{}", created_at: NOW },
        })
        .execute();
    }
    const days = (count: number) => ({ from: NOW - count * DAY_MS, to: NOW + 1 });
    const { sessions } = await model.agentSignals(
      { orgId: org_id, mode },
      { days: days(30), calls: days(7), outcomes: days(30) },
    );
    const { rows: agents } = await model.agentPage({ orgId: org_id, mode }, NOW, {}, 10);
    const counts = agents.map(({ id, agent_key }) => {
      const { sessions: all, joined } = sessions.find(({ agent_id }) => agent_id === id) ?? {};
      return [agent_key, all, joined];
    });
    expect(counts.toSorted()).toEqual([
      ["joiner", 1, 1],
      ["starter", 2, 1],
    ]);
  },
);
