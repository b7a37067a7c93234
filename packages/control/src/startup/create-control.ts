import { describeFault } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createProfile } from "@tollgate/storage/profile/control-profile";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { sharedRefusals } from "@tollgate/storage/shared-ledger/shared-refusals";
import { redisState } from "@tollgate/storage/shared-limits/redis-state";
import { MemoryPredictionBoard } from "../features/predictions/memory-prediction-board.ts";
import { disableWebhook } from "../features/webhooks/disable-webhook.ts";
import type { Control } from "../kernel/context.ts";
import { SealedCursors } from "../kernel/sealed-cursors.ts";
import { createTransports } from "../messaging/channels/create-transports.ts";
import { DeliverySender } from "../messaging/delivery/delivery-sender.ts";
import { TargetGuard } from "../messaging/outgoing/target-guard.ts";
import type { ControlOptions } from "./control-options.ts";

const FREE_VERIFICATIONS = 3;
const DEFAULT_GATEWAY_URL = "http://127.0.0.1:8787";

interface Parts
  extends Pick<
    Control,
    | "accounts"
    | "catalogue"
    | "checkout"
    | "experiments"
    | "isFollowerStuck"
    | "verifications"
    | "newId"
    | "now"
  > {
  readonly options: ControlOptions;
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly continuity: LedgerContinuity;
}

/** Creates what operations share, and the sender that they wake. */
export function createControl(parts: Parts): { readonly control: Control; readonly sender: DeliverySender } {
  const { options, database, ledger, continuity, now, newId } = parts;
  const { log, publicUrl, outgoing, redisUrl = null } = options;
  const { db, engine } = database;
  const transports = createTransports({
    db,
    now,
    publicUrl,
    onFault: fault => log("error", "could not send a message; retrying", describeFault(fault)),
    ...outgoing,
  });
  const wakeSender: Control["wakeSender"] = receivers => sender.wake(receivers);
  const sender = new DeliverySender(
    {
      db,
      engine,
      now,
      transports,
      disableWebhook: (id, why) => disableWebhook({ db, engine, now, newId, wakeSender }, id, why),
    },
    { onFault: fault => log("error", "the delivery sender had a fault; retrying", describeFault(fault)) },
  );
  const control: Control = {
    db,
    engine,
    pulse: database.pulse,
    readModel: createReadModel(database, ledger, options.copiesLedger ? sharedRefusals(db) : undefined),
    profile: createProfile(database, ledger),
    catalogue: parts.catalogue,
    catalogueWith: ofOrganization =>
      createCatalogue({ ofOrganization, overrides: options.priceOverrides ?? [] }),
    tierPrices: options.tierPrices ?? {},
    freeVerifications: options.freeVerifications ?? FREE_VERIFICATIONS,
    now,
    newId,
    startedAt: now(),
    cacheState: redisUrl === null ? null : () => redisState(redisUrl),
    publicUrl,
    gatewayUrl: options.gatewayUrl ?? DEFAULT_GATEWAY_URL,
    accounts: parts.accounts,
    checkout: parts.checkout,
    cursors: new SealedCursors(options.secret),
    transports,
    targetGuard: TargetGuard.of(outgoing?.allowedPrivateTargets),
    files: { database: database.file, ledger: ledger.file },
    continuity,
    isFollowerStuck: parts.isFollowerStuck,
    wakeSender,
    experiments: parts.experiments,
    verifications: parts.verifications,
    predictionBoard: new MemoryPredictionBoard(),
  };
  return { control, sender };
}
