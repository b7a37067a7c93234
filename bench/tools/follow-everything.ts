import { followExperiments } from "@tollgate/control/experiments/follow-experiments";
import { followEffects } from "@tollgate/control/optimizations/follow-effects";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { progress } from "../gateway/progress.ts";

/** Runs the control plane's followers one after the other: what they would have derived as the calls arrived. */
export async function followEverything(database: ControlDatabase, ledger: LedgerReader): Promise<void> {
  const catalogue = createCatalogue();
  progress("the read model");
  await followReadModel(database, ledger, {}).catchUp();
  progress("the agent profile");
  await followProfile(database, ledger, {
    contextWindowOf: (provider, model) =>
      isProviderId(provider) ? (catalogue.find(provider, model)?.contextWindow ?? null) : null,
  }).catchUp();
  progress("experiments");
  await followExperiments(database, ledger).catchUp();
  progress("effects of optimizations");
  await followEffects(database, ledger, { catalogue, catalogueWith: () => catalogue }).catchUp();
}
