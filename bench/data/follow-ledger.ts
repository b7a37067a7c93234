import { followExperiments } from "@tollgate/control/features/experiments/follow-experiments";
import { followEffects } from "@tollgate/control/features/optimizations/follow-effects";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { progress } from "../kit/progress.ts";

/** Between two lines about a follower's progress. */
const REPORT_EVERY_MS = 30_000;

/** Larger than the control plane's: nobody else writes, and pages of sums are written once per batch. */
const FACTS_A_BATCH = 64_000;

/** The read model alone. */
export async function followFacts(database: ControlDatabase, ledger: LedgerReader): Promise<void> {
  await catchUp("the read model", followReadModel(database, ledger, { batchSize: FACTS_A_BATCH }));
}

/** Runs the control plane's other followers, which read the read model: what they would have derived as the calls arrived. */
export async function followOthers(database: ControlDatabase, ledger: LedgerReader): Promise<void> {
  const catalogue = createCatalogue();
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
