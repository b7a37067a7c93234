import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { profileRepair } from "@tollgate/storage/profile/profile-repair";
import { readModelRepair } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { obeyedRepair } from "../features/actuations/follow-obeyed.ts";
import { alertRepair } from "../features/alerts/watch-alerts.ts";
import { breakerRepair } from "../features/breaker/follow-switches.ts";
import { experimentRepair } from "../features/experiments/follow-experiments.ts";
import { liveRepair } from "../features/live/live-hub.ts";
import { effectRepair } from "../features/optimizations/follow-effects.ts";
import { pairRepair } from "../features/verification/follow-pairs.ts";
import { servedModelRepair } from "../features/verification/follow-served-models.ts";
import { webhookRepair } from "../features/webhooks/follow-events.ts";

/** One per ledger follower. When the ledger has lost events, all of them run in one transaction. */
export const ledgerRepairs: readonly LedgerRepair[] = [
  readModelRepair,
  profileRepair,
  webhookRepair,
  alertRepair,
  experimentRepair,
  effectRepair,
  pairRepair,
  servedModelRepair,
  obeyedRepair,
  breakerRepair,
  liveRepair,
];
