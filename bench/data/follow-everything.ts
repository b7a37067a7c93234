import { followExperiments } from "@tollgate/control/experiments/follow-experiments";
import { followEffects } from "@tollgate/control/optimizations/follow-effects";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { progress } from "../gateway/progress.ts";

/** Between two lines about a follower's progress. */
const REPORT_EVERY_MS = 30_000;

/** Runs the control plane's followers one after the other: what they would have derived as the calls arrived. */
export async function followEverything(database: ControlDatabase, ledger: LedgerReader): Promise<void> {
  const catalogue = createCatalogue();
  await catchUp("the read model", followReadModel(database, ledger, {}));
  const profile = followProfile(database, ledger, {
    contextWindowOf: (provider, model) =>
      isProviderId(provider) ? (catalogue.find(provider, model)?.contextWindow ?? null) : null,
  });
  await catchUp("the agent profile", profile);
  await catchUp("experiments", followExperiments(database, ledger));
  const effects = followEffects(database, ledger, { catalogue, catalogueWith: () => catalogue });
  await catchUp("effects of optimizations", effects);
}

async function catchUp(
  name: string,
  follower: { catchUp(): Promise<unknown>; readonly lag: number },
): Promise<void> {
  progress(name);
  const reporting = setInterval(
    () => progress(`${name}: ${follower.lag.toLocaleString("en-US")} events to go`),
    REPORT_EVERY_MS,
  );
  try {
    await follower.catchUp();
  } finally {
    clearInterval(reporting);
  }
}
