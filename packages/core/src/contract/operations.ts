import { accountOperations } from "./account/operations.ts";
import { agentOperations } from "./agents/operations.ts";
import { alertPreferenceOperations } from "./alert-preferences/operations.ts";
import { alertOperations } from "./alerts/operations.ts";
import { analyticsOperations } from "./analytics/operations.ts";
import { budgetOperations } from "./budgets/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { experimentOperations } from "./experiments/operations.ts";
import { healthOperations } from "./health/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { leakOperations } from "./leaks/operations.ts";
import { memberOperations } from "./members/operations.ts";
import { modelOperations } from "./models/operations.ts";
import { optimizationOperations } from "./optimizations/operations.ts";
import { organizationOperations } from "./organization/operations.ts";
import { outcomeOperations } from "./outcomes/operations.ts";
import { predictionOperations } from "./predictions/operations.ts";
import { roiOperations } from "./roi/operations.ts";
import { subjectOperations } from "./subjects/operations.ts";
import { suggestionOperations } from "./suggestions/operations.ts";
import { webhookOperations } from "./webhooks/operations.ts";

/** The whole web API, one object a resource, in the order of its documents. A handler has the operation's name. */
export const operations = {
  ...healthOperations,
  ...accountOperations,
  ...organizationOperations,
  ...memberOperations,
  ...keyOperations,
  ...agentOperations,
  ...optimizationOperations,
  ...analyticsOperations,
  ...eventOperations,
  ...subjectOperations,
  ...budgetOperations,
  ...webhookOperations,
  ...alertOperations,
  ...alertPreferenceOperations,
  ...predictionOperations,
  ...suggestionOperations,
  ...leakOperations,
  ...modelOperations,
  ...experimentOperations,
  ...outcomeOperations,
  ...roiOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
