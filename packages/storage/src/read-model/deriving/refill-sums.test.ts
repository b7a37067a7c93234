import { describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { beginPosition, readPosition } from "../../following/stored-position.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { followReadModel } from "./follow-read-model.ts";
import { isRefillDue } from "./refill-sums.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const bench = readModelLab();

const call = (index: number) =>
  sampleSettlement(`event ${index}`, {
    created_at: SAMPLE_DAY + index * DAY_MS,
    session_id: index % 2 === 0 ? `session ${index}` : null,
    customer_id: `customer ${index % 2}`,
    config_version: `v${index % 3}`,
  });

describe.each(engines)("sums that an older version did not have, on %s", engine => {
  it("are filled day by day, and not read before", async () => {
    const { database, ledger, reader, follower, model } = await bench(engine);
    await ledger.append(Array.from({ length: 20 }, (_, index) => call(index)));
    await follower.catchUp();
    const { db } = database;
    // As an older version has left it: without any of the newer sums, except of what was called since the upgrade.
    for (const reader of ["read-model:refill-0048", "read-model:refill"])
      await beginPosition(db, reader, LEDGER_START);
    await db.deleteFrom("customer_weeks").execute();
    await db
      .deleteFrom("agent_version_days")
      .where("day", "<", SAMPLE_DAY + 19 * DAY_MS)
      .execute();
    await db.updateTable("agent_version_days").set({ session_calls: 0 }).execute();
    const question = {
      window: { from: SAMPLE_DAY - DAY_MS, to: SAMPLE_DAY + 30 * DAY_MS },
      interval: "none",
      nowMs: SAMPLE_DAY + 21 * DAY_MS,
      limit: 10,
      offset: 0,
    } as const;
    const { org_id: orgId, mode, agent_key: agentKey } = call(0).event;
    const scope = { orgId, mode };
    const agentId = (await model.agentIds(scope, [agentKey])).get(agentKey) ?? "none";
    const callsBy = async (groupBy: "customer" | "config_version") => {
      const filter = groupBy === "customer" ? {} : { agentId };
      const { groups } = await model.breakdown(scope, { ...question, groupBy, filter });
      return groups.map(({ key, buckets }) => [key, buckets[0]?.calls]).toSorted();
    };
    const days = question.window;
    const callsInSessions = async () => {
      const { coverage } = await model.agentSignals(scope, { days, recent: days, outcomes: days });
      return coverage.map(({ calls, session_calls, version_calls }) => [calls, session_calls, version_calls]);
    };
    const expectAnswers = async (calls: number) => {
      const ofEach = (count: number, name: (index: number) => string) =>
        Array.from({ length: count }, (_, index) => [name(index), Math.ceil((calls - index) / count)]);
      expect(await callsBy("customer")).toEqual(ofEach(2, index => `customer ${index}`));
      expect(await callsBy("config_version")).toEqual(ofEach(3, index => `v${index}`));
      expect(await callsInSessions()).toEqual([[calls, Math.ceil(calls / 2), calls]]);
    };
    const verify = async () => {
      const incomplete: string[] = [];
      const differences = await verifyReadModel(database, reader, table => incomplete.push(table));
      return { differences, incomplete };
    };
    await expectAnswers(20);
    expect(await verify()).toEqual({ differences: [], incomplete: ["customer_weeks", "agent_version_days"] });

    const newer = followReadModel(database, reader);
    await ledger.append([call(20)]);
    await newer.catchUp();
    expect(await isRefillDue(db)).toBe(false);
    expect(await readPosition(db, "read-model:refill")).toBeNull();
    await expectAnswers(21);
    expect(await verify()).toEqual({ differences: [], incomplete: [] });
  });
});
