import type { Operations } from "@tollgate/core/contract/operations";
import { accountHandlers } from "../account/handlers.ts";
import { actuationHandlers } from "../actuations/handlers.ts";
import { agentHandlers } from "../agents/handlers.ts";
import { alertPreferenceHandlers } from "../alert-preferences/handlers.ts";
import { alertHandlers } from "../alerts/handlers.ts";
import { analyticsHandlers } from "../analytics/handlers.ts";
import { auditHandlers } from "../audit/handlers.ts";
import { budgetHandlers } from "../budgets/handlers.ts";
import { businessCaseHandlers } from "../business-case/handlers.ts";
import { checkoutHandlers, checkoutStrangerHandlers } from "../checkout/handlers.ts";
import { demoHandlers } from "../demo/handlers.ts";
import { eventHandlers } from "../events/handlers.ts";
import { experimentHandlers } from "../experiments/handlers.ts";
import { healthHandlers } from "../health/handlers.ts";
import { healthScoreHandlers } from "../health-scores/handlers.ts";
import { installationHandlers } from "../installation/handlers.ts";
import type { Handlers, PublicHandlers, StrangerHandlers } from "../kernel/handler.ts";
import { keyHandlers } from "../keys/handlers.ts";
import { leakHandlers } from "../leaks/handlers.ts";
import { loopViewHandlers } from "../loop-views/handlers.ts";
import { memberHandlers } from "../members/handlers.ts";
import { modelHandlers } from "../models/handlers.ts";
import { optimizationHandlers } from "../optimizations/handlers.ts";
import { organizationHandlers } from "../organization/handlers.ts";
import { outcomeHandlers } from "../outcomes/handlers.ts";
import { predictionHandlers } from "../predictions/handlers.ts";
import { priceHandlers } from "../prices/handlers.ts";
import { proposalHandlers } from "../proposals/handlers.ts";
import { queueHandlers } from "../queue/handlers.ts";
import { refusalHandlers } from "../refusals/handlers.ts";
import { publicReportHandlers, reportHandlers } from "../reports/handlers.ts";
import { roiHandlers } from "../roi/handlers.ts";
import { subjectHandlers } from "../subjects/handlers.ts";
import { suggestionHandlers } from "../suggestions/handlers.ts";
import { verificationHandlers } from "../verification/handlers.ts";
import { webhookHandlers } from "../webhooks/handlers.ts";

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
