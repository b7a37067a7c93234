import { afterAll, beforeAll, beforeEach, describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { attributeTask } from "@tollgate/tools/catalog/attribute-task";
import { getUpgradeJustification } from "@tollgate/tools/catalog/get-upgrade-justification";
import { refusal } from "../../support/clients/refusal.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
beforeEach(() => lab.clock.set(NOON));
afterAll(() => lab.stop());

const at = (time: string) => Date.parse(`2026-11-15T${time}:00Z`);
const call = (agent_key: string, time: string, amount: number, change: object = {}) => ({
  agent_key,
  created_at: at(time),
  cost_microcents: microcents(amount),
  session_id: "run",
  ...change,
});

/** A at 10:00, B at 10:05, A at 10:09, C at 10:20; an outcome at 10:15 that names B and is worth 10 dollars. */
async function worked() {
  const organization = await lab.organization();
  const events = await organization.addEvents(
    call("A", "10:00", 100_000),
    call("B", "10:05", 200_000, { model: "gpt-4o" }),
    call("A", "10:09", 50_000),
    call("C", "10:20", 400_000),
  );
  lab.clock.set("2026-11-15T10:15:00Z");
  const { client, agentId } = organization;
  const outcome = { name: "sold", outcome_type: "revenue", value_cents: 1000, session_id: "run" };
  await client.call("outcomes.create", { ...outcome, agent_id: agentId("B") });
  lab.clock.set(NOON);
  return { ...organization, events };
}

describe("attribution and return", () => {
  it.each([
    ["direct", "B"],
    ["first_touch", "A"],
    ["last_touch", "A"],
  ] as const)("ROI-005 credits the outcome by %s to %s, in full and once", async (model, agentKey) => {
    const { client, agentId } = await worked();
    const credit = {
      agent_id: agentId(agentKey),
      agent_name: agentKey,
      outcome_count: 1,
      contribution_value_cents: 1000,
      revenue_cents: 1000,
    };
    expect(await client.call("attribution.get", { model })).toEqual({
      agent_id: null,
      period_days: 30,
      period: { from: "2026-10-16T12:00:00.000Z", to: NOON },
      model,
      total_outcomes: 1,
      failed_outcomes: 0,
      total_value_cents: 1000,
      total_revenue_cents: 1000,
      unattributed: { outcome_count: 0, value_cents: 0, revenue_cents: 0 },
      outcomes: [
        {
          outcome_type: "revenue",
          count: 1,
          failed_count: 0,
          value_cents: 1000,
          top_attributions: [credit],
        },
      ],
      agents: [credit],
      agent_count: 1,
    });
    const others = ["A", "B", "C"].filter(key => key !== agentKey);
    for (const other of others) {
      const { total_outcomes } = await client.call("attribution.get", { model, agent_id: agentId(other) });
      expect(total_outcomes).toBe(0);
    }
  });

  it("ROI-005 excludes anything older than the requested days", async () => {
    const { client } = await worked();
    lab.clock.set("2026-11-17T12:00:00Z");
    expect((await client.call("attribution.get", { days: 2 })).total_outcomes).toBe(0);
    expect((await client.call("attribution.get", { days: 3 })).total_outcomes).toBe(1);
  });

  it("ROI-004 ROI-008 an agent's return: its events' costs by model, its outcomes by type, value ÷ cost", async () => {
    const { client, agentId } = await worked();
    const { agent_id, agent_name, costs, outcomes, net_value_cents, roi_multiplier } = await client.call(
      "agents.roi",
      { id: agentId("B") },
    );
    expect({ agent_id, agent_name, costs, outcomes, net_value_cents, roi_multiplier }).toEqual({
      agent_id: agentId("B"),
      agent_name: "B",
      costs: {
        call_count: 1,
        total_microcents: 200_000,
        unpriced_calls: 0,
        avg_per_request_microcents: 200_000,
        by_model: [{ model: "gpt-4o", call_count: 1, cost_microcents: 200_000, unpriced_calls: 0 }],
      },
      outcomes: {
        count: 1,
        failed_count: 0,
        total_value_cents: 1000,
        revenue_cents: 1000,
        by_type: [{ outcome_type: "revenue", count: 1, failed_count: 0, value_cents: 1000 }],
      },
      // Two cents were spent.
      net_value_cents: 998,
      roi_multiplier: 500,
    });
    expect(await client.call("agents.roi", { id: agentId("C") })).toMatchObject({
      outcomes: { count: 0, total_value_cents: 0, by_type: [] },
      roi_multiplier: 0,
    });
  });

  it("ROI-008 without cost there is no multiplier; a session's outcome counts for the agent that called last in it", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(call("free", "09:00", 0));
    await client.call("outcomes.create", { name: "done", session_id: "run", success: true });
    lab.clock.advance(1);
    const roi = await client.call("agents.roi", { id: agentId("free") });
    expect([roi.roi_multiplier, roi.outcomes.count, roi.outcomes.total_value_cents]).toEqual([null, 1, 0]);
  });

  it("ROI-008 a second confirmation answers 200 with the first one; attributing a task does not confirm it", async () => {
    const { client, addEvents, agentId, liveKey } = await lab.organization();
    await addEvents(call("A", "10:00", 100));
    const { structured } = await attributeTask.answer(client.call, {
      agent_id: agentId("A"),
      outcome_type: "revenue",
      outcome_source: "manual",
    });
    const id = String(structured.id);
    expect(await client.call("outcomes.get", { id })).toMatchObject({
      confirmed_by: null,
      confirmed_at: null,
      value_cents: null,
      session_id: null,
    });
    const confirm = () =>
      lab.send(`/api/outcomes/${id}/confirm`, { key: liveKey, method: "POST", body: "{}" });
    const first = await confirm();
    lab.clock.advance(1000);
    const second = await confirm();
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.json()).toEqual(await first.json());
    // Without a value it counts, but is worth 0.
    const roi = await client.call("agents.roi", { id: agentId("A") });
    expect(roi.outcomes).toMatchObject({ count: 1, total_value_cents: 0 });
  });

  it("ROI-008 a paying organization sees this, without an upgrade at the top tier", async () => {
    for (const [tier, recommended_tier] of [
      ["lite", null],
      ["enterprise", null],
    ] as const) {
      const { client } = await lab.organization(tier);
      expect(await client.call("upgrade_justification.get", {})).toMatchObject({
        current_tier: tier,
        already_paying: true,
        recommended_tier,
      });
    }
  });

  it("ROI-004 ROI-005 ROI-006 revenue is the same in every answer: without failed outcomes and savings, minus refunds", async () => {
    const { client, addEvents, agentId } = await lab.organization();
    await addEvents(call("A", "09:00", 100_000));
    for (const outcome of [
      // Only the session is named: ROI and attribution credit the same agent.
      { outcome_type: "revenue", value_cents: 900, session_id: "run" },
      { outcome_type: "revenue", value_cents: -400, session_id: "run" },
      { outcome_type: "revenue", value_cents: 5000, success: false, session_id: "run" },
      { outcome_type: "cost_saving", value_cents: 7000, agent_id: agentId("A") },
      { value_cents: 20, agent_id: agentId("A") },
    ]) {
      await client.call("outcomes.create", { name: "x", ...outcome });
    }
    lab.clock.advance(1);
    const roi = await client.call("agents.roi", { id: agentId("A") });
    expect(roi).toMatchObject({
      outcomes: {
        count: 5,
        failed_count: 1,
        total_value_cents: 7520,
        revenue_cents: 500,
        by_type: [
          { outcome_type: "cost_saving", count: 1, failed_count: 0, value_cents: 7000 },
          { outcome_type: "revenue", count: 3, failed_count: 1, value_cents: 500 },
          { outcome_type: null, count: 1, failed_count: 0, value_cents: 20 },
        ],
      },
      net_value_cents: 499,
      roi_multiplier: 500,
    });
    const audit = await client.call("roi_audit.get", {});
    expect(audit.fleet_summary).toMatchObject({
      failed_outcomes: 1,
      total_revenue_cents: 500,
      other_value_cents: 7020,
      net_roi_multiplier: 500,
    });
    const report = await client.call("attribution.get", {});
    expect(report).toMatchObject({
      failed_outcomes: 1,
      total_revenue_cents: 500,
      unattributed: { outcome_count: 0 },
      agents: [{ agent_id: agentId("A"), outcome_count: 5, revenue_cents: 500 }],
    });
    const { usage } = await client.call("upgrade_justification.get", {});
    expect([usage.revenue_cents, usage.roi_multiplier]).toEqual([500, 500]);
    const { attribution } = await client.call("dashboard.get", {});
    expect([attribution.total_revenue_cents, attribution.roi_multiplier]).toEqual([500, 500]);
  });

  it("ROI-003 an outcome belongs to the agent of the event it names; an unknown or foreign event is refused", async () => {
    const { client, events, agentId } = await worked();
    const [, ofB] = events;
    const made = await client.call("outcomes.create", { name: "x", event_id: ofB?.id ?? "" });
    expect([made.agent_id, made.event_id, made.related_events]).toEqual([agentId("B"), ofB?.id ?? "", 1]);
    const refused = [
      { event_id: "nothing" },
      { agent_id: "nobody" },
      { event_id: ofB?.id ?? "", agent_id: agentId("A") },
    ];
    for (const wrong of refused) {
      expect(await refusal(client.call("outcomes.create", { name: "x", ...wrong }))).toMatchObject({
        status: 400,
      });
    }
    const other = await lab.organization();
    const foreign = other.client.call("outcomes.create", { name: "x", event_id: ofB?.id ?? "" });
    expect(await refusal(foreign)).toMatchObject({ status: 400 });
  });

  it("ROI-006 audits the fleet or some agents, with the ledger's cost, and explains the methodology on request", async () => {
    const { client, agentId } = await worked();
    const audit = await client.call("roi_audit.get", {});
    expect(audit.fleet_summary).toEqual({
      total_agents: 3,
      total_calls: 4,
      total_cost_microcents: 750_000,
      total_cost_cents: 7.5,
      unpriced_calls: 0,
      total_outcomes: 1,
      failed_outcomes: 0,
      total_revenue_cents: 1000,
      other_value_cents: 0,
      net_value_cents: 992.5,
      net_roi_multiplier: 133.33,
    });
    expect(audit.agents.map(({ agent_name, risk_flags }) => [agent_name, risk_flags])).toEqual([
      ["C", ["no_outcomes"]],
      ["B", []],
      ["A", ["no_outcomes"]],
    ]);
    expect(audit.methodology?.length).toBeGreaterThan(0);
    const { summary } = await client.call("analytics.get");
    expect(audit.fleet_summary.total_cost_microcents).toBe(summary.total_cost_microcents);

    const some = await client.call("roi_audit.get", {
      include_methodology: false,
      agent_ids: `${agentId("A")},${agentId("B")}`,
    });
    expect([some.fleet_summary.total_agents, some.fleet_summary.total_cost_microcents]).toEqual([2, 350_000]);
    expect(some.methodology).toBeNull();
    const unknown = client.call("roi_audit.get", { agent_ids: `${agentId("A")},nobody` });
    expect(await refusal(unknown)).toMatchObject({ status: 404 });
  });

  it("the audit's caveats use the singular for one", async () => {
    const { client, addEvents } = await lab.organization();
    await addEvents(call("A", "09:00", 100_000));
    await client.call("outcomes.create", { name: "x", value_cents: 1 });
    lab.clock.advance(1);
    expect((await client.call("roi_audit.get", {})).caveats).toEqual([
      "1 of 1 agent costs money but has no reported outcome.",
      "1 outcome worth 1 cent names no agent and is not included here.",
    ]);
    await addEvents(call("B", "09:01", 100_000));
    await client.call("outcomes.create", { name: "x", value_cents: 299 });
    lab.clock.advance(1);
    expect((await client.call("roi_audit.get", {})).caveats).toEqual([
      "2 of 2 agents cost money but have no reported outcomes.",
      "2 outcomes worth 300 cents name no agent and are not included here.",
    ]);
  });

  it("the upgrade tool names limits, history and tiers in plain words", async () => {
    const textOf = async (tier: "starter" | "enterprise") => {
      const { client, addEvents } = await lab.organization(tier);
      await addEvents(call("A", "10:00", 100_000, { created_at: Date.parse(NOON) - 36 * 86_400_000 }));
      return (await getUpgradeJustification.answer(client.call, { days: 30 })).text;
    };
    const starter = await textOf("starter");
    expect(starter).toContain("You are on Starter; no upgrade is needed.");
    expect(starter).toContain("Days of history: 36 (your tier shows the last 7)");
    expect(starter).toContain("so the ROI cannot be calculated");
    const enterprise = await textOf("enterprise");
    expect(enterprise).toContain("You are on Enterprise; no upgrade is needed.");
    expect(enterprise).toMatch(/Projected calls this month: \d+ \(no limit\)/);
  });

  it("ROI-007 justifies an upgrade by the organization's own numbers", async () => {
    const { client, addEvents } = await lab.organization("starter");
    await addEvents(call("A", "10:00", 100_000), call("B", "10:05", 0), call("C", "10:06", 0));
    expect(await client.call("upgrade_justification.get", {})).toMatchObject({
      period_days: 7,
      current_tier: "starter",
      recommended_tier: "lite",
      already_paying: false,
      usage: { call_count: 3, cost_microcents: 100_000, cost_cents: 1, agents: 3 },
      reasons: ["Agents: 3 of 3"],
      // The tier's price is not configured: unknown is not free.
      upgrade: {
        target_tier: "lite",
        price_monthly_cents: null,
        roi_multiplier: null,
        note: expect.stringContaining("SVC_TIER_PRICES"),
      },
    });
    const paying = await lab.organization("enterprise");
    expect(await paying.client.call("upgrade_justification.get", {})).toMatchObject({
      recommended_tier: null,
      already_paying: true,
    });
  });

  it("TOOL-024 sets the budget of a scope and period: created if there is none, otherwise changed", async () => {
    const { client } = await lab.organization("starter");
    const wanted = { period: "daily", limit_microcents: 10, enforcement_mode: "alert_only" } as const;
    const made = await client.call("budgets.set", wanted);
    const changed = await client.call("budgets.set", { ...wanted, limit_microcents: 20, warning_pct: 50 });
    expect([made.created, changed.created, changed.budget.id]).toEqual([true, false, made.budget.id]);
    expect(changed.budget).toMatchObject({ limit_microcents: 20, warning_pct: 50 });
    const another = client.call("budgets.set", { ...wanted, period: "monthly" });
    expect(await refusal(another)).toMatchObject({ status: 402 });
  });
});
