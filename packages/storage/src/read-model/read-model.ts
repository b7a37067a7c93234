import type { AgentQueries } from "./queries/agent-queries.ts";
import type { AgentSignalQueries } from "./queries/agent-signal-queries.ts";
import type { EventQueries } from "./queries/event-queries.ts";
import type { LedgerQueries } from "./queries/ledger-queries.ts";
import type { SubjectQueries } from "./queries/subject-queries.ts";
import type { UsageQueries } from "./queries/usage-queries.ts";

/**
 * All queries on the data derived from the ledger, by subject. One implementation for both engines
 * (`control-read-model.ts`); nothing outside `storage` writes SQL against it.
 */
export interface ReadModel
  extends UsageQueries,
    AgentQueries,
    AgentSignalQueries,
    EventQueries,
    SubjectQueries,
    LedgerQueries {}
