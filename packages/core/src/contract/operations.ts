import { accountOperations } from "./account.ts";
import { actuationOperations } from "./actuations.ts";
import { agentOperations } from "./agents.ts";
import { alertPreferenceOperations } from "./alert-preferences.ts";
import { alertOperations } from "./alerts.ts";
import { analyticsOperations } from "./analytics.ts";
import { auditOperations } from "./audit.ts";
import { budgetOperations } from "./budgets.ts";
import { businessCaseOperations } from "./business-case.ts";
import { checkoutOperations } from "./checkout.ts";
import { demoOperations } from "./demo.ts";
import { eventOperations } from "./events.ts";
import { experimentOperations } from "./experiments.ts";
import { healthOperations } from "./health.ts";
import { healthScoreOperations } from "./health-scores.ts";
import { installationOperations } from "./installation.ts";
import { keyOperations } from "./keys.ts";
import { leakOperations } from "./leaks.ts";
import { loopViewOperations } from "./loop-views.ts";
import { memberOperations } from "./members.ts";
import { modelOperations } from "./models.ts";
import { optimizationOperations } from "./optimizations.ts";
import { organizationOperations } from "./organization.ts";
import { outcomeOperations } from "./outcomes.ts";
import { predictionOperations } from "./predictions.ts";
import { priceOperations } from "./prices.ts";
import { proposalOperations } from "./proposals.ts";
import { queueOperations } from "./queue.ts";
import { refusalOperations } from "./refusals.ts";
import { reportOperations } from "./reports.ts";
import { roiOperations } from "./roi.ts";
import { subjectOperations } from "./subjects.ts";
import { suggestionOperations } from "./suggestions.ts";
import { verificationOperations } from "./verification.ts";
import { webhookOperations } from "./webhooks.ts";

/** The whole web API, one object per resource, in the order of its documentation. */
export const operations = {
  ...healthOperations,
  ...installationOperations,
  ...accountOperations,
  ...organizationOperations,
  ...memberOperations,
  ...keyOperations,
  ...auditOperations,
  ...agentOperations,
  ...optimizationOperations,
  ...analyticsOperations,
  ...eventOperations,
  ...refusalOperations,
  ...subjectOperations,
  ...budgetOperations,
  ...webhookOperations,
  ...alertOperations,
  ...alertPreferenceOperations,
  ...predictionOperations,
  ...suggestionOperations,
  ...leakOperations,
  ...modelOperations,
  ...priceOperations,
  ...experimentOperations,
  ...outcomeOperations,
  ...roiOperations,
  ...healthScoreOperations,
  ...checkoutOperations,
  ...verificationOperations,
  ...actuationOperations,
  ...loopViewOperations,
  ...reportOperations,
  ...businessCaseOperations,
  ...proposalOperations,
  ...queueOperations,
  ...demoOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
