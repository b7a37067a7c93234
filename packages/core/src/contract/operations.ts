import { accountAcceptInvitation } from "./account/accept-invitation.ts";
import { accountGet } from "./account/get.ts";
import { accountSessionsEnd } from "./account/sessions-end.ts";
import { accountSessionsList } from "./account/sessions-list.ts";
import { accountSetPassword } from "./account/set-password.ts";
import { agentsGet } from "./agents/get.ts";
import { agentsList } from "./agents/list.ts";
import { agentsMetrics } from "./agents/metrics.ts";
import { agentsResume } from "./agents/resume.ts";
import { agentsRoute } from "./agents/route.ts";
import { agentsUpdate } from "./agents/update.ts";
import { alertsPreferencesGet } from "./alert-preferences/get.ts";
import { alertsThresholdsDelete } from "./alert-preferences/thresholds-delete.ts";
import { alertsThresholdsList } from "./alert-preferences/thresholds-list.ts";
import { alertsThresholdsSet } from "./alert-preferences/thresholds-set.ts";
import { alertsPreferencesUpdate } from "./alert-preferences/update.ts";
import { alertsWebhookSecretGet } from "./alert-preferences/webhook-secret-get.ts";
import { alertsWebhookSecretRotate } from "./alert-preferences/webhook-secret-rotate.ts";
import { alertsAcknowledge } from "./alerts/acknowledge.ts";
import { alertsList } from "./alerts/list.ts";
import { alertsTest } from "./alerts/send-test.ts";
import { dashboardGet } from "./analytics/dashboard-get.ts";
import { analyticsGet } from "./analytics/get.ts";
import { budgetsCreate } from "./budgets/create.ts";
import { budgetsDelete } from "./budgets/delete.ts";
import { budgetsGet } from "./budgets/get.ts";
import { budgetsList } from "./budgets/list.ts";
import { budgetsResume } from "./budgets/resume.ts";
import { budgetsSet } from "./budgets/set.ts";
import { budgetsStatus } from "./budgets/status.ts";
import { budgetsUpdate } from "./budgets/update.ts";
import { eventsCost } from "./events/cost.ts";
import { eventsExport } from "./events/export.ts";
import { eventsGet } from "./events/get.ts";
import { eventsList } from "./events/list.ts";
import { experimentsCreate } from "./experiments/create.ts";
import { experimentsGet } from "./experiments/get.ts";
import { experimentsList } from "./experiments/list.ts";
import { experimentsPause } from "./experiments/pause.ts";
import { experimentsResume } from "./experiments/resume.ts";
import { experimentsStop } from "./experiments/stop.ts";
import { healthGet } from "./health/get.ts";
import { keysCreate } from "./keys/create.ts";
import { keysList } from "./keys/list.ts";
import { keysRevoke } from "./keys/revoke.ts";
import { costLeakScanRun } from "./leaks/cost-leak-scan-run.ts";
import { membersInvite } from "./members/invite.ts";
import { membersList } from "./members/list.ts";
import { membersRemove } from "./members/remove.ts";
import { membersUpdate } from "./members/update.ts";
import { modelsCompare } from "./models/compare.ts";
import { agentsOptimizationsApply } from "./optimizations/apply.ts";
import { agentsOptimizationsList } from "./optimizations/list.ts";
import { agentsOptimizationsUndo } from "./optimizations/undo.ts";
import { organizationGet } from "./organization/get.ts";
import { organizationUpdate } from "./organization/update.ts";
import { outcomesConfirm } from "./outcomes/confirm.ts";
import { outcomesCreate } from "./outcomes/create.ts";
import { outcomesGet } from "./outcomes/get.ts";
import { outcomesList } from "./outcomes/list.ts";
import { predictionsAcknowledge } from "./predictions/acknowledge.ts";
import { predictionsList } from "./predictions/list.ts";
import { agentsRoi } from "./roi/agents-roi.ts";
import { attributionGet } from "./roi/attribution-get.ts";
import { roiAuditGet } from "./roi/roi-audit-get.ts";
import { upgradeJustificationGet } from "./roi/upgrade-justification-get.ts";
import { configVersionsList } from "./subjects/config-versions-list.ts";
import { customersGet } from "./subjects/customers-get.ts";
import { customersList } from "./subjects/customers-list.ts";
import { sessionsGet } from "./subjects/sessions-get.ts";
import { sessionsList } from "./subjects/sessions-list.ts";
import { suggestionsList } from "./suggestions/list.ts";
import { webhooksDelete } from "./webhooks/delete.ts";
import { webhooksDeliveriesGet } from "./webhooks/deliveries-get.ts";
import { webhooksDeliveriesList } from "./webhooks/deliveries-list.ts";
import { webhooksDeliveriesReplay } from "./webhooks/deliveries-replay.ts";
import { webhooksGet } from "./webhooks/get.ts";
import { webhooksList } from "./webhooks/list.ts";
import { webhooksRegister } from "./webhooks/register.ts";
import { webhooksReplay } from "./webhooks/replay.ts";
import { webhooksRotateSecret } from "./webhooks/rotate-secret.ts";
import { webhooksTest } from "./webhooks/send-test.ts";
import { webhooksUpdate } from "./webhooks/update.ts";

/** The whole web API. A new operation is a file of its own, a line here, and a handler of the same name. */
export const operations = {
  "health.get": healthGet,
  "account.accept_invitation": accountAcceptInvitation,
  "account.get": accountGet,
  "account.sessions.end": accountSessionsEnd,
  "account.sessions.list": accountSessionsList,
  "account.set_password": accountSetPassword,
  "organization.get": organizationGet,
  "organization.update": organizationUpdate,
  "members.invite": membersInvite,
  "members.list": membersList,
  "members.remove": membersRemove,
  "members.update": membersUpdate,
  "keys.create": keysCreate,
  "keys.list": keysList,
  "keys.revoke": keysRevoke,
  "agents.get": agentsGet,
  "agents.list": agentsList,
  "agents.metrics": agentsMetrics,
  "agents.optimizations.apply": agentsOptimizationsApply,
  "agents.optimizations.list": agentsOptimizationsList,
  "agents.optimizations.undo": agentsOptimizationsUndo,
  "agents.resume": agentsResume,
  "agents.route": agentsRoute,
  "agents.update": agentsUpdate,
  "analytics.get": analyticsGet,
  "dashboard.get": dashboardGet,
  "events.cost": eventsCost,
  "events.export": eventsExport,
  "events.get": eventsGet,
  "events.list": eventsList,
  "sessions.get": sessionsGet,
  "sessions.list": sessionsList,
  "customers.get": customersGet,
  "customers.list": customersList,
  "config_versions.list": configVersionsList,
  "budgets.create": budgetsCreate,
  "budgets.delete": budgetsDelete,
  "budgets.get": budgetsGet,
  "budgets.list": budgetsList,
  "budgets.resume": budgetsResume,
  "budgets.set": budgetsSet,
  "budgets.status": budgetsStatus,
  "budgets.update": budgetsUpdate,
  "webhooks.delete": webhooksDelete,
  "webhooks.list": webhooksList,
  "webhooks.register": webhooksRegister,
  "webhooks.deliveries.get": webhooksDeliveriesGet,
  "webhooks.deliveries.list": webhooksDeliveriesList,
  "webhooks.deliveries.replay": webhooksDeliveriesReplay,
  "webhooks.get": webhooksGet,
  "webhooks.replay": webhooksReplay,
  "webhooks.rotate_secret": webhooksRotateSecret,
  "webhooks.test": webhooksTest,
  "webhooks.update": webhooksUpdate,
  "alerts.acknowledge": alertsAcknowledge,
  "alerts.list": alertsList,
  "alerts.preferences.get": alertsPreferencesGet,
  "alerts.preferences.update": alertsPreferencesUpdate,
  "alerts.test": alertsTest,
  "alerts.thresholds.delete": alertsThresholdsDelete,
  "alerts.thresholds.list": alertsThresholdsList,
  "alerts.thresholds.set": alertsThresholdsSet,
  "alerts.webhook_secret.get": alertsWebhookSecretGet,
  "alerts.webhook_secret.rotate": alertsWebhookSecretRotate,
  "predictions.acknowledge": predictionsAcknowledge,
  "predictions.list": predictionsList,
  "suggestions.list": suggestionsList,
  "cost_leak_scan.run": costLeakScanRun,
  "models.compare": modelsCompare,
  "experiments.create": experimentsCreate,
  "experiments.get": experimentsGet,
  "experiments.list": experimentsList,
  "experiments.pause": experimentsPause,
  "experiments.resume": experimentsResume,
  "experiments.stop": experimentsStop,
  "outcomes.confirm": outcomesConfirm,
  "outcomes.create": outcomesCreate,
  "outcomes.get": outcomesGet,
  "outcomes.list": outcomesList,
  "agents.roi": agentsRoi,
  "attribution.get": attributionGet,
  "roi_audit.get": roiAuditGet,
  "upgrade_justification.get": upgradeJustificationGet,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
