import { expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { organizationRow } from "../../../../../test/support/rows/organization-row.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
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
      { days: days(30), recent: days(7), outcomes: days(30) },
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

it.each(engines)(
  "LOOP-004 coverage counts an agent's calls with a session and with a config version on recent days, in %s",
  async engine => {
    const { ledger, follower, model } = await open(engine);
    const call = (id: string, daysAgo: number, fields: Parameters<typeof sampleSettlement>[1]) =>
      sampleSettlement(id, { agent_key: "one", created_at: NOW - daysAgo * DAY_MS, ...fields });
    const sample = call("1", 1, { session_id: "a", config_version: "v1" });
    await ledger.append([
      sample,
      call("2", 2, { session_id: "a", config_version: "v2" }),
      call("3", 3, { session_id: "b", config_version: null }),
      call("4", 0, { session_id: null, config_version: "v2" }),
      call("5", 9, { session_id: "c", config_version: "v1" }),
      call("6", 1, { session_id: null, config_version: null, agent_key: "two" }),
    ]);
    await follower.catchUp();
    const { org_id: orgId, mode } = sample.event;
    const days = { from: Date.UTC(2026, 10, 12), to: NOW + 1 };
    const { coverage, volumes } = await model.agentSignals(
      { orgId, mode },
      { days, recent: days, outcomes: days },
    );
    const found = volumes.map(({ agent_id, agent_key }) => {
      const covered = coverage.find(one => one.agent_id === agent_id);
      return [agent_key, covered?.calls, covered?.session_calls, covered?.version_calls];
    });
    expect(found.toSorted()).toEqual([
      ["one", 4, 3, 3],
      ["two", 1, 0, 0],
    ]);
  },
);
