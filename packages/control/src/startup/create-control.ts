import { describeFault } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createProfile } from "@tollgate/storage/profile/control-profile";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { createTransports } from "../channels/create-transports.ts";
import { DeliverySender } from "../delivery/delivery-sender.ts";
import type { Control } from "../kernel/context.ts";
import { SealedCursors } from "../kernel/sealed-cursors.ts";
import { TargetGuard } from "../outgoing/target-guard.ts";
import { MemoryPredictionBoard } from "../predictions/memory-prediction-board.ts";
import { disableWebhook } from "../webhooks/disable-webhook.ts";
import type { ControlOptions } from "./control-options.ts";

interface Parts extends Pick<Control, "accounts" | "checkout" | "experiments" | "now"> {
  readonly options: ControlOptions;
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly continuity: LedgerContinuity;
}

/** Creates what operations share, and the sender that they wake. */
export function createControl(parts: Parts): {
  readonly control: Control;
  readonly sender: DeliverySender;
} {
  const { options, database, ledger, continuity, experiments, accounts, checkout, now } = parts;
  const { log, publicUrl, outgoing } = options;
  const { db, engine } = database;
  // Time-ordered, so that rows created in the same millisecond are listed in order of creation.
  const newId = () => Bun.randomUUIDv7();
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
    readModel: createReadModel(database, ledger),
    profile: createProfile(database, ledger),
    catalogue: createCatalogue({ overrides: options.priceOverrides ?? [] }),
    tierPrices: options.tierPrices ?? {},
    now,
    newId,
    startedAt: now(),
    publicUrl,
    accounts,
    checkout,
    cursors: new SealedCursors(options.secret),
    transports,
    targetGuard: TargetGuard.of(outgoing?.allowedPrivateTargets),
    files: { database: database.file, ledger: ledger.file },
    continuity,
    wakeSender,
    experiments,
    predictionBoard: new MemoryPredictionBoard(),
  };
  return { control, sender };
}
