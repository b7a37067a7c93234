import type { ProtectedOperationId } from "@tollgate/control/kernel/handler";
import type { RequestOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";

/** Ids of one organization's objects, one of each kind. */
export interface SampleIds {
  readonly org: string;
  readonly agent: string;
  readonly event: string;
  readonly session: string;
  readonly customer: string;
  readonly budget: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly alert: string;
  readonly threshold: string;
  readonly experiment: string;
  readonly outcome: string;
  readonly key: string;
  readonly optimization: string;
  readonly member: string;
  readonly verification: string;
  /** For pairs sent by the organization. */
  readonly capturedVerification: string;
  readonly verificationPolicy: string;
  readonly report: string;
  readonly price: string;
}

/** A minimal valid request for every operation. A new operation does not compile without one. */
export function sampleRequests(ids: SampleIds): {
  [Id in ProtectedOperationId]: RequestOf<Operations[Id]>;
} {
  return {
    "installation.get": {},
    "account.accept_invitation": { id: ids.member },
    "account.get": {},
    "account.sessions.end": { id: ids.session },
    "account.sessions.list": {},
    "account.set_password": { password: "a long enough password" },
    "account.switch_organization": { organization_id: ids.org },
    "organization.get": {},
    "organization.usage": {},
    "organization.update": { name: "renamed" },
    "members.invite": { email: `${crypto.randomUUID()}@example.org`, role: "viewer" },
    "members.list": {},
    "members.remove": { id: ids.member },
    "members.sign_out": { id: ids.member },
    "members.update": { id: ids.member, role: "viewer" },
    "keys.create": {},
    "keys.list": {},
    "keys.revoke": { id: ids.key },
    "agents.get": { id: ids.agent },
    "agents.list": {},
    "agents.metrics": { id: ids.agent },
    "agents.optimizations.apply": { id: ids.agent, optimization_type: "model_switch" },
    "agents.optimizations.list": { id: ids.agent },
    "agents.optimizations.undo": { id: ids.agent, optimization_id: ids.optimization },
    "optimizations.summary": {},
    "agents.pause": { id: ids.agent },
    "agents.resume": { id: ids.agent },
    "agents.route": { id: ids.agent, task_complexity: "low" },
    "agents.update": { id: ids.agent },
    "audit.list": { limit: 5 },
    "analytics.get": { agent_id: ids.agent },
    "analytics.history": { agent_id: ids.agent, days: 7 },
    "analytics.breakdown": { group_by: "agent", compare: "previous", customer_id: ids.customer },
    "dashboard.get": {},
    "events.cost": { id: ids.event },
    "events.export": { agent_id: ids.agent },
    "events.get": { id: ids.event },
    "events.list": { agent_id: ids.agent },
    "refusals.counts": { agent_id: ids.agent },
    "refusals.list": { agent_id: ids.agent },
    "sessions.get": { id: ids.session },
    "sessions.list": {},
    "customers.get": { id: ids.customer },
    "customers.list": {},
    "config_versions.list": {},
    "budgets.create": { period: "daily", limit_microcents: 5, enforcement_mode: "alert_only" },
    "budgets.delete": { id: ids.budget },
    "budgets.get": { id: ids.budget },
    "budgets.list": {},
    "budgets.resume": { id: ids.budget },
    "agents.roi": { id: ids.agent },
    "attribution.get": { agent_id: ids.agent },
    "roi_audit.get": {},
    "health_scores.list": {},
    "loop_views.headline": {},
    "loop_views.readiness": {},
    "upgrade_business_case.get": { current_tier: "starter" },
    "demo.add": {},
    "demo.get": {},
    "demo.remove": {},
    "reports.create": {},
    "reports.list": {},
    "reports.revoke": { id: ids.report },
    "health_scores.rankings": {},
    "upgrade_justification.get": {},
    "budgets.set": { period: "daily", limit_microcents: 5, enforcement_mode: "alert_only" },
    "budgets.status": {},
    "budgets.update": { id: ids.budget },
    "webhooks.delete": { id: ids.webhook },
    "webhooks.deliveries.get": { id: ids.delivery },
    "webhooks.deliveries.list": { id: ids.webhook },
    "webhooks.deliveries.replay": { id: ids.delivery },
    "webhooks.get": { id: ids.webhook },
    "webhooks.list": {},
    "webhooks.replay": { id: ids.webhook, from: "2026-11-15", to: "2026-11-16" },
    "webhooks.rotate_secret": { id: ids.webhook },
    "webhooks.test": { id: ids.webhook },
    "webhooks.update": { id: ids.webhook },
    "webhooks.register": {
      orgId: ids.org,
      url: "https://example.org",
      events: ["event.created"],
      secret: "secret",
    },
    "alerts.acknowledge": { action: "acknowledge", alert_ids: [ids.alert] },
    "alerts.list": {},
    "alerts.preferences.get": {},
    "alerts.preferences.update": {},
    "alerts.test": {},
    "alerts.thresholds.delete": { id: ids.threshold },
    "alerts.thresholds.list": {},
    "alerts.thresholds.set": { metric: "daily_cost", threshold_value: 100, action: "email" },
    "alerts.webhook_secret.get": {},
    "alerts.webhook_secret.rotate": {},
    "predictions.acknowledge": { prediction_ids: ["0190b3c0-0000-7000-8000-000000000000"] },
    "predictions.list": { agent_id: ids.agent },
    "suggestions.list": { agent_id: ids.agent },
    "cost_leak_scan.run": { agent_id: ids.agent },
    "prices.overrides.list": {},
    "prices.overrides.remove": { id: ids.price },
    "prices.overrides.set": {
      provider: "openai",
      model: "in-house",
      input_per_million_cents: 10,
      output_per_million_cents: 40,
    },
    "prices.rerating.apply": { from: "2026-11-01", to: "2026-11-02" },
    "prices.rerating.preview": { from: "2026-11-01", to: "2026-11-02" },
    "models.compare": {},
    "models.prices": { models: "gpt-4o,no-such" },
    "experiments.create": { agent_id: ids.agent, name: "cheaper", treatment_model: "gpt-4o" },
    "experiments.get": { id: ids.experiment },
    "experiments.list": { agent_id: ids.agent },
    "experiments.pause": { id: ids.experiment },
    "experiments.resume": { id: ids.experiment },
    "experiments.stop": { id: ids.experiment },
    "outcomes.confirm": { id: ids.outcome },
    "outcomes.create": { name: "done" },
    "outcomes.get": { id: ids.outcome },
    "outcomes.list": {},
    "verify.checkouts.create": {},
    "verify.claims.create": { claim_code: "x".repeat(43) },
    "verify.requests.create": {
      prod_model: "gpt-4o-mini",
      candidate_model: "gpt-4.1-nano",
      agent_id: ids.agent,
    },
    "verify.requests.get": { id: ids.verification },
    "verify.requests.list": { agent_id: ids.agent },
    "verify.requests.cancel": { id: ids.verification },
    "verify.requests.add_pairs": { id: ids.capturedVerification, pairs: [{ id: "pair-1", score: 0 }] },
    "verify.policies.list": {},
    "verify.policies.create": { name: crypto.randomUUID() },
    "verify.policies.update": { id: ids.verificationPolicy },
    "verify.policies.delete": { id: ids.verificationPolicy },
    "verify.balance.get": {},
    "loop_views.verdicts": {},
    "loop_views.trials": {},
    "loop_views.actuations": {},
    "loop_views.proposals": {},
    "loop_views.queue": {},
    "queue.approve": { id: `verdict_${ids.alert}` },
    "queue.snooze": { id: `verdict_${ids.alert}`, until: "2026-11-16T00:00:00Z" },
    "queue.acknowledge": { id: `verdict_${ids.alert}` },
  };
}
