import { afterAll, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { controlDatabases, engines } from "../../support/labs/control-databases.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();
const labs: ControlLab[] = [];
afterAll(async () => {
  for (const lab of labs) await lab.stop();
});

const now = Date.parse(NOON);
/** gpt-4o: 25 microcents per input token, 100 per output token. */
const short = (agent_key: string, created_at: number, number: number) => ({
  agent_key,
  created_at,
  model: "gpt-4o",
  usage: { input: 1000, output: 40 },
  cost_microcents: microcents(1000 * 25 + 40 * 100),
  request_hash: `${agent_key} ${number}`,
});
const many = <Item>(count: number, item: (number: number) => Item) =>
  Array.from({ length: count }, (_, n) => item(n));

describe.each(engines)("the leak scan over %s", engine => {
  it("OPT-010 scales by observed days, excludes archived agents, and ignores anything before the tier's history", async () => {
    const lab = await startControlLab(await databases.place(engine));
    labs.push(lab);
    const { client, addEvents, agentId, readKey } = await lab.organization("lite");
    await addEvents(
      ...many(12, n => short("veteran", now - 3 * 24 * HOUR_MS + n * 1000, n)),
      ...many(12, n => short("retired", now - HOUR_MS, n)),
      ...many(12, n => short("ancient", now - 31 * 24 * HOUR_MS, n)),
      ...many(3, n => short("veteran", now - HOUR_MS, 100 + n)),
    );
    await client.call("budgets.create", {
      period: "daily",
      limit_microcents: 10_000,
      enforcement_mode: "alert_only",
    });
    await client.call("agents.update", { id: agentId("retired"), archived: true });
    const scan = async () => client.call("cost_leak_scan.run", {});
    await eventually("the profile has followed", async () => (await scan()).findings.length > 1);
    const report = await scan();
    // Fifteen short answers in four days; gpt-4o-mini: 1.5 and 6 microcents.
    const waste = 15 * (1000 * (25 - 1.5) + 40 * (100 - 6));
    expect(report.findings).toMatchObject([
      {
        check: "model_overprovisioning",
        agent_id: agentId("veteran"),
        agent_name: "veteran",
        estimated_waste_monthly_cents: (waste * 30) / 4 / 100_000,
        evidence: { short_calls: 15, observed_days: 4 },
      },
      { check: "idle_agents", agent_id: agentId("ancient"), severity: "medium" },
    ]);
    expect(report).toMatchObject({
      total_agents_scanned: 2,
      health_score: 100 - 15 - 8,
      period: { from: "2026-10-17T00:00:00.000Z", to: NOON },
    });
    const archived = await client.call("cost_leak_scan.run", { agent_id: agentId("retired") });
    expect(archived.findings).toMatchObject([{ check: "model_overprovisioning", agent_name: "retired" }]);
    expect(await lab.clientOf(readKey).call("cost_leak_scan.run", {})).toEqual(report);
    expect(
      (await lab.send("/api/cost-leak-scan?include_low_severity=perhaps", { key: readKey })).status,
    ).toBe(400);
  });
});
