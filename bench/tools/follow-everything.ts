import { ExperimentFollower } from "@tollgate/control/experiments/follow-experiments";
import { EffectsFollower } from "@tollgate/control/optimizations/follow-effects";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { ProfileFollower } from "@tollgate/storage/profile/follow-profile";
import { LedgerFollower } from "@tollgate/storage/read-model/follow-ledger";
import { progress } from "../gateway/progress.ts";

/** The control plane's own followers, one after the other: what they would have derived while the calls came in. */
export async function followEverything(database: ControlDatabase, ledger: LedgerReader): Promise<void> {
  const catalogue = createCatalogue();
  progress("the read model");
  await new LedgerFollower(database, ledger, {}).catchUp();
  progress("the agent profile");
  await new ProfileFollower(database, ledger, {
    contextWindowOf: (provider, model) =>
      isProviderId(provider) ? (catalogue.find(provider, model)?.contextWindow ?? null) : null,
  }).catchUp();
  progress("experiments");
  await new ExperimentFollower(database, ledger).catchUp();
  progress("effects of optimizations");
  await new EffectsFollower(database, ledger, catalogue).catchUp();
}
