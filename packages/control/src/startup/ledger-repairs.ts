import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { profileRepair } from "@tollgate/storage/profile/profile-repair";
import { readModelRepair } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { obeyedRepair } from "../actuations/follow-obeyed.ts";
import { alertRepair } from "../alerts/watch-alerts.ts";
import { breakerRepair } from "../breaker/follow-switches.ts";
import { experimentRepair } from "../experiments/follow-experiments.ts";
import { liveRepair } from "../live/live-hub.ts";
import { effectRepair } from "../optimizations/follow-effects.ts";
import { pairRepair } from "../verification/follow-pairs.ts";
import { servedModelRepair } from "../verification/follow-served-models.ts";
import { webhookRepair } from "../webhooks/follow-events.ts";

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
