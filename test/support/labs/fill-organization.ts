import type { Tier } from "@tollgate/core/limits/tiers";
import type { SampleIds } from "../clients/sample-requests.ts";
import type { ControlLab } from "./control-lab.ts";

/** An organization with one object of each kind. */
export async function fillOrganization(lab: ControlLab, tier: Tier = "enterprise") {
  const organization = await lab.organization(tier);
  const { id: org, client } = organization;
  const session = `session-${org}`;
  const customer = `customer-${org}`;
  const agentKey = `agent-${org}`;
  const [event] = await organization.addEvents({
    agent_key: agentKey,
    session_id: session,
    customer_id: customer,
    config_version: "v1",
    created_at: lab.clock.now() - 1000,
  });
  const agent = organization.agentId(agentKey);
  const budget = await client.call("budgets.create", {
    period: "daily",
    limit_microcents: 1_000_000,
    enforcement_mode: "alert_only",
    agent_id: agent,
  });
  const webhook = await client.call("webhooks.register", {
    orgId: org,
    // Refused without sending anything: no test leaves this machine.
    url: "http://127.0.0.1:9/hook",
    events: ["event.created"],
    secret: "secret",
  });
  const delivery = crypto.randomUUID();
  await lab.db
    .insertInto("deliveries")
    .values({
      id: delivery,
      org_id: org,
      mode: "live",
      channel: "webhook",
      receiver: webhook.id,
      kind: "event.created",
      subject_id: event?.id ?? "",
      body: "{}",
      status: "delivered",
      tries: 1,
      next_attempt_at: lab.clock.now(),
      created_at: lab.clock.now(),
      finished_at: lab.clock.now(),
    })
    .execute();
  const outcome = await client.call("outcomes.create", { name: "done", session_id: session });
  const key = await client.call("keys.create", {});
  const alert = crypto.randomUUID();
  await lab.db
    .insertInto("alerts")
    .values({
      id: alert,
      org_id: org,
      mode: "live",
      alert_key: alert,
      type: "idle_agent",
      severity: "info",
      message: "idle",
      metadata: "{}",
      agent_id: agent,
      triggered_at: lab.clock.now(),
      read_at: null,
    })
    .execute();
  const threshold = await client.call("alerts.thresholds.set", {
    metric: "latency_p99",
    threshold_value: 1_000_000,
    action: "email",
  });
  const optimization = crypto.randomUUID();
  await lab.db
    .insertInto("optimizations")
    .values({
      id: optimization,
      org_id: org,
      mode: "live",
      agent_id: agent,
      agent_key: agentKey,
      optimization_type: "token_guardrails",
      payload: '{"max_output_tokens":100000}',
      source: "suggestion",
      applied_by: "somebody",
      applied_at: lab.clock.now(),
      undone_at: null,
    })
    .execute();
  const experiment = crypto.randomUUID();
  await lab.db
    .insertInto("experiments")
    .values({
      id: experiment,
      org_id: org,
      mode: "live",
      // For a separate agent: the sample request creates one for the other.
      agent_id: crypto.randomUUID(),
      agent_key: "another",
      name: "cheaper",
      control_model: null,
      treatment_model: "gpt-4o",
      traffic_pct: 10,
      primary_metric: "cost_per_call",
      max_duration_days: 30,
      auto_promote: 0,
      status: "running",
      created_at: lab.clock.now(),
      ends_at: lab.clock.now() + 30 * 86_400_000,
      ended_at: null,
      end_reason: null,
      winner: null,
      results: null,
      updated_at: lab.clock.now(),
    })
    .execute();
  const member = crypto.randomUUID();
  await lab.db
    .insertInto("members")
    .values({
      id: member,
      org_id: org,
      user_id: null,
      email: `${member}@example.org`,
      role: "viewer",
      status: "invited",
      created_at: lab.clock.now(),
    })
    .execute();
  const ids: SampleIds = {
    org,
    agent,
    event: event?.id ?? "",
    session,
    customer,
    budget: budget.id,
    webhook: webhook.id,
    delivery,
    alert,
    threshold: threshold.id,
    experiment,
    outcome: outcome.id,
    key: key.id,
    optimization,
    member,
  };
  return { ...organization, ids };
}
