import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";
import {
  openToolClient,
  record,
  type ToolClient,
  type ToolClientKind,
} from "../../support/labs/tool-clients.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const kinds: readonly ToolClientKind[] = ["stdio, new client", "hosted, old client"];

async function withToolClient(
  kind: ToolClientKind,
  key: string,
  use: (toolClient: ToolClient) => Promise<void>,
): Promise<void> {
  const toolClient = await openToolClient(kind, lab.url, key);
  try {
    await use(toolClient);
  } finally {
    await toolClient.close();
  }
}

for (const kind of kinds) {
  describe(kind, () => {
    it("TOOL-024 svc_set_budget creates a budget in exact microcents, then changes that one; beyond the tier's limit it is an error", async () => {
      const org = await lab.organization("starter");
      await org.addEvents({ agent_key: "a" });
      await withToolClient(kind, org.liveKey, async toolClient => {
        const created = await toolClient.call("svc_set_budget", { period: "daily", limit_dollars: 0.29 });
        expect(created.structured).toMatchObject({
          created: true,
          budget: {
            limit_microcents: 2_900_000,
            warning_pct: 80,
            enforcement_mode: "alert_only",
            period: "daily",
          },
        });
        const changed = await toolClient.call("svc_set_budget", {
          period: "daily",
          limit_dollars: 19.99,
          warning_pct: 99,
          enforcement_mode: "hard_block",
        });
        expect(changed.structured).toMatchObject({
          created: false,
          budget: { limit_microcents: 199_900_000 },
        });
        const { budgets } = await org.client.call("budgets.list");
        expect(budgets).toHaveLength(1);
        expect(budgets[0]).toMatchObject({
          limit_microcents: 199_900_000,
          warning_pct: 99,
          enforcement_mode: "hard_block",
        });
        // Omitted fields stay unchanged.
        const raised = await toolClient.call("svc_set_budget", { period: "daily", limit_dollars: 30 });
        expect(raised.structured).toMatchObject({
          created: false,
          budget: { limit_microcents: 300_000_000, warning_pct: 99, enforcement_mode: "hard_block" },
        });
        const beyond = await toolClient.call("svc_set_budget", {
          period: "daily",
          limit_dollars: 1,
          agent_id: org.agentId("a"),
        });
        expect(beyond).toMatchObject({
          isError: true,
          facts: { status: 402, required_tier: "lite", current_tier: "starter" },
        });
        expect((await org.client.call("budgets.list")).budgets).toHaveLength(1);
      });
    });

    it("TOOL-023 svc_set_budget for one agent is separate from the organization's", async () => {
      const org = await lab.organization();
      await org.addEvents({ agent_key: "a" });
      await withToolClient(kind, org.liveKey, async toolClient => {
        for (const agent_id of [undefined, org.agentId("a")]) {
          const { structured } = await toolClient.call("svc_set_budget", {
            period: "monthly",
            limit_dollars: 5,
            ...(agent_id === undefined ? {} : { agent_id }),
          });
          expect(structured.created).toBe(true);
          expect(record(structured.budget).agent_id).toBe(agent_id);
        }
      });
    });

    it("TOOL-026 svc_update_budget_mode pauses, resumes and changes the mode; GET /api/budgets shows it", async () => {
      const org = await fillOrganization(lab);
      const budget_id = org.ids.budget;
      const shown = async () =>
        (await org.client.call("budgets.list")).budgets.find(({ id }) => id === budget_id);
      await withToolClient(kind, org.liveKey, async toolClient => {
        await toolClient.call("svc_update_budget_mode", { budget_id, paused: true });
        expect(await shown()).toMatchObject({ status: "paused", enforcement_mode: "alert_only" });
        await toolClient.call("svc_update_budget_mode", { budget_id, enforcement_mode: "hard_block" });
        expect(await shown()).toMatchObject({ status: "paused", enforcement_mode: "hard_block" });
        await toolClient.call("svc_update_budget_mode", { budget_id, paused: false });
        expect(await shown()).toMatchObject({ status: "active", enforcement_mode: "hard_block" });
        const { isError, text } = await toolClient.call("svc_update_budget_mode", { budget_id });
        expect([isError, text]).toEqual([false, expect.stringContaining("No change was requested")]);
      });
    });

    it("TOOL-028 acknowledged alerts are no longer unread and stay in the list; TOOL-027 filters work", async () => {
      const org = await fillOrganization(lab);
      await withToolClient(kind, org.liveKey, async toolClient => {
        const ids = async (args: Record<string, unknown>) =>
          ((await toolClient.call("svc_get_alerts", args)).structured.alerts as { id: string }[]).map(
            ({ id }) => id,
          );
        expect(await ids({})).toEqual([org.ids.alert]);
        expect(await ids({ severity: "critical" })).toEqual([]);
        expect(await ids({ severity: "info", limit: 1 })).toEqual([org.ids.alert]);
        const unknown = await toolClient.call("svc_acknowledge_alert", {
          alert_ids: [org.ids.alert, crypto.randomUUID()],
        });
        expect(unknown.facts.status).toBe(404);
        expect(await ids({})).toEqual([org.ids.alert]);
        const { structured } = await toolClient.call("svc_acknowledge_alert", { alert_ids: [org.ids.alert] });
        expect(structured).toEqual({ acknowledged: 1 });
        expect(await ids({})).toEqual([]);
        expect(await ids({ unread_only: false })).toEqual([org.ids.alert]);
      });
    });

    it("ROI-003 TOOL-035 svc_attribute_task records an outcome with each of the six sources, for known agents and events; TOOL-061 their names are ours; ROI-008 a refund is negative", async () => {
      const org = await fillOrganization(lab);
      await withToolClient(kind, org.liveKey, async toolClient => {
        for (const outcome_source of ["payments", "scheduling", "crm", "support_desk", "webhook", "manual"]) {
          const { structured, isError, text } = await toolClient.call("svc_attribute_task", {
            agent_id: org.ids.agent,
            event_id: org.ids.event,
            outcome_type: "revenue",
            outcome_source,
            value_cents: 250,
            description: "an order",
          });
          expect([isError, isError ? text : ""]).toEqual([false, ""]);
          const kept = await org.client.call("outcomes.get", { id: String(structured.id) });
          expect(kept).toMatchObject({
            agent_id: org.ids.agent,
            event_id: org.ids.event,
            outcome_type: "revenue",
            source: outcome_source,
            value_cents: 250,
            notes: "an order",
          });
        }
        const { agent, event } = org.ids;
        for (const unknown of [
          { agent_id: crypto.randomUUID() },
          { agent_id: agent, event_id: `not ${event}` },
        ]) {
          const wrong = { ...unknown, outcome_type: "revenue", outcome_source: "crm" };
          expect((await toolClient.call("svc_attribute_task", wrong)).isError).toBe(true);
        }
        const refund = await toolClient.call("svc_attribute_task", {
          agent_id: org.ids.agent,
          outcome_type: "revenue",
          outcome_source: "payments",
          value_cents: -400,
        });
        expect([refund.isError, refund.structured.value_cents]).toEqual([false, -400]);
        expect(refund.text).toContain("worth -$4.00");
        // A period ends before the current moment.
        lab.clock.advance(1);
        const { structured } = await toolClient.call("svc_get_cost_summary");
        expect(record(structured.attribution).total_revenue_cents).toBe(1100);
      });
    });

    it("TOOL-036 any other source is an error, and nothing is recorded", async () => {
      const org = await fillOrganization(lab);
      const before = (await org.client.call("outcomes.list")).outcomes.length;
      await withToolClient(kind, org.liveKey, async toolClient => {
        for (const outcome_source of ["stripe", "Payments", "", undefined]) {
          const result = await toolClient.call("svc_attribute_task", {
            agent_id: org.ids.agent,
            outcome_type: "revenue",
            outcome_source,
          });
          expect(result.facts.status).toBe(400);
        }
      });
      expect((await org.client.call("outcomes.list")).outcomes).toHaveLength(before);
    });

    it("TOOL-039 svc_configure_alert_threshold sets a rule, for an agent or for all", async () => {
      const org = await fillOrganization(lab);
      await withToolClient(kind, org.liveKey, async toolClient => {
        for (const [args, kept] of [
          [{ metric: "daily_cost", threshold_value: 12.5, action: "email" }, { agent_id: null }],
          [
            { agent_id: org.ids.agent, metric: "error_rate", threshold_value: 0.25, action: "pause_agent" },
            { agent_id: org.ids.agent },
          ],
          [{ metric: "latency_p99", threshold_value: 900, action: "webhook" }, { agent_id: null }],
        ] as const) {
          const { structured, isError, text } = await toolClient.call("svc_configure_alert_threshold", args);
          expect([isError, isError ? text : ""]).toEqual([false, ""]);
          const { thresholds } = await org.client.call("alerts.thresholds.list");
          const { metric, threshold_value, action } = args;
          expect(thresholds.find(({ id }) => id === structured.threshold_id)).toMatchObject({
            ...kept,
            metric,
            threshold_value,
            action,
          });
        }
      });
    });

    it("TOOL-029 predictions are filtered by agent, severity and status", async () => {
      const org = await fillOrganization(lab);
      const ofAgent = await addPrediction(org.id, org.ids.agent, "warning");
      const ofAll = await addPrediction(org.id, null, "critical");
      await withToolClient(kind, org.liveKey, async toolClient => {
        const ids = async (args: Record<string, unknown>) => {
          const { structured } = await toolClient.call("svc_get_failure_predictions", args);
          return (structured.predictions as { id: string }[]).map(({ id }) => id).toSorted();
        };
        expect(await ids({})).toEqual([]);
        expect(await ids({ status: "acknowledged" })).toEqual([]);
        expect(await ids({ status: "resolved" })).toEqual([ofAgent, ofAll].toSorted());
        expect(await ids({ status: "resolved", agent_id: org.ids.agent })).toEqual([ofAgent]);
        expect(await ids({ status: "resolved", severity: "critical" })).toEqual([ofAll]);
        expect(await ids({ status: "resolved", severity: "info" })).toEqual([]);
      });
    });
  });
}

/** A resolved one, which is not evaluated again. */
async function addPrediction(orgId: string, agentId: string | null, severity: string): Promise<string> {
  const id = crypto.randomUUID();
  const now = lab.clock.now();
  await lab.db
    .insertInto("predictions")
    .values({
      id,
      org_id: orgId,
      mode: "live",
      prediction_key: id,
      agent_id: agentId,
      prediction_type: "cost_overrun",
      severity,
      confidence: 0.9,
      predicted_breach_at: now,
      current_value: 1,
      threshold_value: 2,
      trend_direction: "rising",
      message: "more than usual",
      evidence: JSON.stringify({
        n: 24,
        unit: "hour",
        window: { from: new Date(now - 86_400_000).toISOString(), to: new Date(now).toISOString() },
        tests: [{ name: "trend", p: 0.01 }],
        p: 0.01,
        adjusted_p: 0.02,
        tests_made: 2,
        slope: 1,
        slope_unit: "microcents an hour",
        breach_interval: null,
      }),
      status: "resolved",
      created_at: now,
      updated_at: now,
      acknowledged_at: null,
      resolved_at: now,
    })
    .execute();
  return id;
}
