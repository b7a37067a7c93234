import type { ControlMigration } from "./control-migration.ts";
import { up as organizationsAndKeys } from "./migrations/0001-organizations-and-keys.ts";
import { up as webApiAndReadModel } from "./migrations/0002-web-api-and-read-model.ts";
import { up as roleOfAKey } from "./migrations/0003-role-of-a-key.ts";
import { up as deliveriesAlertsPredictions } from "./migrations/0004-deliveries-alerts-predictions.ts";
import { up as optimizationsAndExperiments } from "./migrations/0005-optimizations-and-experiments.ts";
import { up as experimentSums } from "./migrations/0006-experiment-sums.ts";
import { up as agentProfile } from "./migrations/0007-agent-profile.ts";
import { up as deliveryRounds } from "./migrations/0008-delivery-rounds.ts";
import { up as optimizationEffects } from "./migrations/0009-optimization-effects.ts";
import { up as roomForLiveAlerts } from "./migrations/0010-room-for-live-alerts.ts";
import { up as dropExperimentCalls } from "./migrations/0011-drop-experiment-calls.ts";
import { up as allowUnpriced } from "./migrations/0012-allow-unpriced.ts";
import { up as unpricedCalls } from "./migrations/0013-unpriced-calls.ts";
import { up as placeInTheLedger } from "./migrations/0014-place-in-the-ledger.ts";
import { up as keyMakersAndInvitations } from "./migrations/0015-key-makers-and-invitations.ts";
import { up as cursorsOfNodes } from "./migrations/0016-cursors-of-nodes.ts";
import { up as verification } from "./migrations/0017-verification.ts";
import { up as checkout } from "./migrations/0018-checkout.ts";
import { up as decisions } from "./migrations/0019-decisions.ts";
import { up as loopViews } from "./migrations/0020-loop-views.ts";
import { up as usedKeys } from "./migrations/0021-used-keys.ts";
import { up as sharedLedger } from "./migrations/0022-shared-ledger.ts";
import { up as breaker } from "./migrations/0023-breaker.ts";
import { up as demos } from "./migrations/0024-demos.ts";
import { up as breakdowns } from "./migrations/0025-breakdowns.ts";
import { up as budgetsOfKeysAndCustomers } from "./migrations/0026-budgets-of-keys-and-customers.ts";
import { up as auditLog } from "./migrations/0027-audit-log.ts";
import { up as budgetShares } from "./migrations/0028-budget-shares.ts";
import { up as sessionOrganizations } from "./migrations/0029-session-organizations.ts";
import { up as priceOverrides } from "./migrations/0030-price-overrides.ts";
import { up as sharedQuotas } from "./migrations/0031-shared-quotas.ts";
import { up as sharedRefusals } from "./migrations/0032-shared-refusals.ts";
import { up as configNotifications } from "./migrations/0033-config-notifications.ts";
import { up as history } from "./migrations/0034-history.ts";
import { up as adjustmentsOfRemovedEvents } from "./migrations/0035-adjustments-of-removed-events.ts";
import { up as signedOutMembers } from "./migrations/0036-signed-out-members.ts";
import { up as settledShares } from "./migrations/0037-settled-shares.ts";
import { up as madeCalls } from "./migrations/0038-made-calls.ts";
import { up as sharedHistory } from "./migrations/0039-shared-history.ts";
import { up as agentVersions } from "./migrations/0040-agent-versions.ts";
import { up as customerWeeks } from "./migrations/0041-customer-weeks.ts";
import { up as blockingBudgets } from "./migrations/0042-blocking-budgets.ts";
import { up as partitionsOfSharedEvents } from "./migrations/0043-partitions-of-shared-events.ts";
import { up as partitionsOfFacts } from "./migrations/0044-partitions-of-facts.ts";
import { up as organizationInTheKeyOfFacts } from "./migrations/0045-organization-in-the-key-of-facts.ts";
import { up as reportedBlocking } from "./migrations/0046-reported-blocking.ts";
import { up as listsOfFacts } from "./migrations/0047-lists-of-facts.ts";
import { up as callsInSessions } from "./migrations/0048-calls-in-sessions.ts";
import { up as profileWeeks } from "./migrations/0049-profile-weeks.ts";

/**
 * Every step of the control database's schema, in the order in which they run on either engine. A new one is a file in
 * `migrations/` and two lines here.
 */
export const controlMigrations: Readonly<Record<string, ControlMigration>> = {
  "0001-organizations-and-keys": organizationsAndKeys,
  "0002-web-api-and-read-model": webApiAndReadModel,
  "0003-role-of-a-key": roleOfAKey,
  "0004-deliveries-alerts-predictions": deliveriesAlertsPredictions,
  "0005-optimizations-and-experiments": optimizationsAndExperiments,
  "0006-experiment-sums": experimentSums,
  "0007-agent-profile": agentProfile,
  "0008-delivery-rounds": deliveryRounds,
  "0009-optimization-effects": optimizationEffects,
  "0010-room-for-live-alerts": roomForLiveAlerts,
  "0011-drop-experiment-calls": dropExperimentCalls,
  "0012-allow-unpriced": allowUnpriced,
  "0013-unpriced-calls": unpricedCalls,
  "0014-place-in-the-ledger": placeInTheLedger,
  "0015-key-makers-and-invitations": keyMakersAndInvitations,
  "0016-cursors-of-nodes": cursorsOfNodes,
  "0017-verification": verification,
  "0018-checkout": checkout,
  "0019-decisions": decisions,
  "0020-loop-views": loopViews,
  "0021-used-keys": usedKeys,
  "0022-shared-ledger": sharedLedger,
  "0023-breaker": breaker,
  "0024-demos": demos,
  "0025-breakdowns": breakdowns,
  "0026-budgets-of-keys-and-customers": budgetsOfKeysAndCustomers,
  "0027-audit-log": auditLog,
  "0028-budget-shares": budgetShares,
  "0029-session-organizations": sessionOrganizations,
  "0030-price-overrides": priceOverrides,
  "0031-shared-quotas": sharedQuotas,
  "0032-shared-refusals": sharedRefusals,
  "0033-config-notifications": configNotifications,
  "0034-history": history,
  "0035-adjustments-of-removed-events": adjustmentsOfRemovedEvents,
  "0036-signed-out-members": signedOutMembers,
  "0037-settled-shares": settledShares,
  "0038-made-calls": madeCalls,
  "0039-shared-history": sharedHistory,
  "0040-agent-versions": agentVersions,
  "0041-customer-weeks": customerWeeks,
  "0042-blocking-budgets": blockingBudgets,
  "0043-partitions-of-shared-events": partitionsOfSharedEvents,
  "0044-partitions-of-facts": partitionsOfFacts,
  "0045-organization-in-the-key-of-facts": organizationInTheKeyOfFacts,
  "0046-reported-blocking": reportedBlocking,
  "0047-lists-of-facts": listsOfFacts,
  "0048-calls-in-sessions": callsInSessions,
  "0049-profile-weeks": profileWeeks,
};
