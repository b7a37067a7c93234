import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../../../../test/support/labs/control-lab.ts";
import { productionUsage } from "./production-usage.ts";
import type { RequestRow } from "./request-row.ts";

const databases = controlDatabases();

describe.each([...engines])("the production model's calls per month on %s", engine => {
  let lab: ControlLab;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  it("are scaled by the days on which the agent was observed, with or without calls", async () => {
    const organization = await lab.organization();
    const now = lab.clock.now();
    const call = { model: "gpt-4o", requested_model: "gpt-4o" };
    const calls = (agent_key: string, count: number, created_at: number) =>
      Array.from({ length: count }, () => ({ ...call, agent_key, created_at }));
    await organization.addEvents(
      ...calls("old", 1, now - 200 * DAY_MS),
      ...calls("old", 12, now),
      ...calls("young", 6, now - 2 * DAY_MS),
      ...calls("young", 3, now),
    );
    const usageOf = async (agentId: string | null) => {
      const row = {
        org_id: organization.id,
        mode: "live",
        agent_id: agentId,
        prod_provider: "openai",
        prod_model: "gpt-4o",
        created_at: now - DAY_MS,
      } as RequestRow;
      return await productionUsage(lab.db, engine, row, now);
    };
    // 12 in 30 days; 9 in three days, so 90 in thirty; all agents together have been observed for 30 days.
    expect(await usageOf(organization.agentId("old"))).toMatchObject({ monthlyCalls: 12 });
    expect(await usageOf(organization.agentId("young"))).toMatchObject({
      monthlyCalls: 90,
      production: { calls: 3, errors: 0 },
    });
    expect(await usageOf(null)).toMatchObject({ monthlyCalls: 21 });
  });
});
