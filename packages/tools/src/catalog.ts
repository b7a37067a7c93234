import { acknowledgeAlert } from "./catalog/acknowledge-alert.ts";
import { applyOptimization } from "./catalog/apply-optimization.ts";
import { attributeTask } from "./catalog/attribute-task.ts";
import { buyVerification } from "./catalog/buy-verification.ts";
import { compareModels } from "./catalog/compare-models.ts";
import { configureAlertThreshold } from "./catalog/configure-alert-threshold.ts";
import { createModelExperiment } from "./catalog/create-model-experiment.ts";
import { generateRoiAudit } from "./catalog/generate-roi-audit.ts";
import { getActuations } from "./catalog/get-actuations.ts";
import { getAgentDetail } from "./catalog/get-agent-detail.ts";
import { getAlerts } from "./catalog/get-alerts.ts";
import { getAttributionReport } from "./catalog/get-attribution-report.ts";
import { getBalance } from "./catalog/get-balance.ts";
import { getBudgetStatus } from "./catalog/get-budget-status.ts";
import { getCostSummary } from "./catalog/get-cost-summary.ts";
import { getDashboardHeadline } from "./catalog/get-dashboard-headline.ts";
import { getDecisionQueue } from "./catalog/get-decision-queue.ts";
import { getExperimentResults } from "./catalog/get-experiment-results.ts";
import { getFailurePredictions } from "./catalog/get-failure-predictions.ts";
import { getHealthScores } from "./catalog/get-health-scores.ts";
import { getOptimizationRecommendations } from "./catalog/get-optimization-recommendations.ts";
import { getProposals } from "./catalog/get-proposals.ts";
import { getRankings } from "./catalog/get-rankings.ts";
import { getReportSnapshot } from "./catalog/get-report-snapshot.ts";
import { getSignalReadiness } from "./catalog/get-signal-readiness.ts";
import { getTaskRoi } from "./catalog/get-task-roi.ts";
import { getTrials } from "./catalog/get-trials.ts";
import { getUpgradeBusinessCase } from "./catalog/get-upgrade-business-case.ts";
import { getUpgradeJustification } from "./catalog/get-upgrade-justification.ts";
import { getVerdicts } from "./catalog/get-verdicts.ts";
import { getVerification } from "./catalog/get-verification.ts";
import { listAgents } from "./catalog/list-agents.ts";
import { routeModel } from "./catalog/route-model.ts";
import { runCostLeakScan } from "./catalog/run-cost-leak-scan.ts";
import { setBudget } from "./catalog/set-budget.ts";
import { stopExperiment } from "./catalog/stop-experiment.ts";
import { updateBudgetMode } from "./catalog/update-budget-mode.ts";
import { verifySwitch } from "./catalog/verify-switch.ts";
import type { Tool } from "./tool.ts";

/** Tools of both entry points, in the order in which they are listed: by domain. */
export const sharedTools: readonly Tool[] = [
  getCostSummary,
  listAgents,
  getAgentDetail,
  getOptimizationRecommendations,
  applyOptimization,
  routeModel,
  compareModels,
  getBudgetStatus,
  setBudget,
  updateBudgetMode,
  getAlerts,
  acknowledgeAlert,
  getFailurePredictions,
  createModelExperiment,
  getExperimentResults,
  stopExperiment,
  runCostLeakScan,
  attributeTask,
  getTaskRoi,
  getAttributionReport,
  configureAlertThreshold,
  generateRoiAudit,
  getUpgradeJustification,
];

/** Tools of the hosted endpoint only. */
export const hostedTools: readonly Tool[] = [
  getUpgradeBusinessCase,
  getHealthScores,
  getRankings,
  getBalance,
  buyVerification,
  verifySwitch,
  getVerification,
  getSignalReadiness,
  getDashboardHeadline,
  getReportSnapshot,
  getVerdicts,
  getTrials,
  getProposals,
  getActuations,
  getDecisionQueue,
];

/** What the hosted endpoint has for callers without a key, where the operator allows any. */
export const strangerTools: readonly Tool[] = [buyVerification];
