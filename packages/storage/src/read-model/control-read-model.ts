import type { ControlDatabase } from "../database/open-control-database.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import type { RefusalSource } from "../ledger/read-refusals.ts";
import type { ReadModel } from "./read-model.ts";
import { createAgentQueries } from "./reading/create-agent-queries.ts";
import { createAgentSignalQueries } from "./reading/create-agent-signal-queries.ts";
import { createEventQueries } from "./reading/create-event-queries.ts";
import { createLedgerQueries } from "./reading/create-ledger-queries.ts";
import { createSubjectQueries } from "./reading/create-subject-queries.ts";
import { createUsageQueries } from "./reading/create-usage-queries.ts";
import { ScopedReader } from "./reading/scoped-reader.ts";

export function createReadModel(
  database: ControlDatabase,
  ledger: LedgerReader,
  refusals: RefusalSource = ownRefusals(ledger),
): ReadModel {
  const reader = new ScopedReader(database);
  return {
    ...createUsageQueries(reader),
    ...createAgentQueries(reader),
    ...createAgentSignalQueries(reader),
    ...createEventQueries(reader, ledger, refusals),
    ...createSubjectQueries(reader),
    ...createLedgerQueries(database.db, ledger),
  };
}

/** Those of the gateway whose ledger this is. */
function ownRefusals(ledger: LedgerReader): RefusalSource {
  return {
    list: async (scope, filter, after, limit) =>
      ledger.refusals(scope, filter, after?.seq ?? Number.MAX_SAFE_INTEGER, limit),
    counts: async (...asked) => ledger.refusalCounts(...asked),
  };
}
