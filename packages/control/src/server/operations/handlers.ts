import type { Operations } from "@tollgate/core/contract/operations";
import { accountHandlers } from "../../features/account/handlers.ts";
import { actuationHandlers } from "../../features/actuations/handlers.ts";
import { agentHandlers } from "../../features/agents/handlers.ts";
import { alertPreferenceHandlers } from "../../features/alert-preferences/handlers.ts";
import { alertHandlers } from "../../features/alerts/handlers.ts";
import { analyticsHandlers } from "../../features/analytics/handlers.ts";
import { auditHandlers } from "../../features/audit/handlers.ts";
import { budgetHandlers } from "../../features/budgets/handlers.ts";
import { businessCaseHandlers } from "../../features/business-case/handlers.ts";
import { checkoutHandlers, checkoutStrangerHandlers } from "../../features/checkout/handlers.ts";
import { demoHandlers } from "../../features/demo/handlers.ts";
import { eventHandlers } from "../../features/events/handlers.ts";
import { experimentHandlers } from "../../features/experiments/handlers.ts";
import { healthHandlers } from "../../features/health/handlers.ts";
import { healthScoreHandlers } from "../../features/health-scores/handlers.ts";
import { installationHandlers } from "../../features/installation/handlers.ts";
import { keyHandlers } from "../../features/keys/handlers.ts";
import { leakHandlers } from "../../features/leaks/handlers.ts";
import { loopViewHandlers } from "../../features/loop-views/handlers.ts";
import { memberHandlers } from "../../features/members/handlers.ts";
import { modelHandlers } from "../../features/models/handlers.ts";
import { optimizationHandlers } from "../../features/optimizations/handlers.ts";
import { organizationHandlers } from "../../features/organization/handlers.ts";
import { outcomeHandlers } from "../../features/outcomes/handlers.ts";
import { predictionHandlers } from "../../features/predictions/handlers.ts";
import { priceHandlers } from "../../features/prices/handlers.ts";
import { proposalHandlers } from "../../features/proposals/handlers.ts";
import { queueHandlers } from "../../features/queue/handlers.ts";
import { refusalHandlers } from "../../features/refusals/handlers.ts";
import { publicReportHandlers, reportHandlers } from "../../features/reports/handlers.ts";
import { roiHandlers } from "../../features/roi/handlers.ts";
import { subjectHandlers } from "../../features/subjects/handlers.ts";
import { suggestionHandlers } from "../../features/suggestions/handlers.ts";
import { verificationHandlers } from "../../features/verification/handlers.ts";
import { webhookHandlers } from "../../features/webhooks/handlers.ts";
import type { Handlers, PublicHandlers, StrangerHandlers } from "../../kernel/handler.ts";

/** A missing handler, or one with the wrong input or output, does not compile. */
export const handlers: Handlers<Operations> = {
  ...installationHandlers,
  ...accountHandlers,
  ...organizationHandlers,
  ...memberHandlers,
  ...keyHandlers,
  ...auditHandlers,
  ...agentHandlers,
  ...optimizationHandlers,
  ...analyticsHandlers,
  ...eventHandlers,
  ...refusalHandlers,
  ...subjectHandlers,
  ...budgetHandlers,
  ...webhookHandlers,
  ...alertHandlers,
  ...alertPreferenceHandlers,
  ...predictionHandlers,
  ...suggestionHandlers,
  ...leakHandlers,
  ...modelHandlers,
  ...priceHandlers,
  ...experimentHandlers,
  ...outcomeHandlers,
  ...roiHandlers,
  ...healthScoreHandlers,
  ...checkoutHandlers,
  ...verificationHandlers,
  ...actuationHandlers,
  ...loopViewHandlers,
  ...reportHandlers,
  ...businessCaseHandlers,
  ...proposalHandlers,
  ...queueHandlers,
  ...demoHandlers,
};

export const publicHandlers: PublicHandlers = { ...healthHandlers, ...publicReportHandlers };

export const strangerHandlers: StrangerHandlers = checkoutStrangerHandlers;
