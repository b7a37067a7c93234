import { up as events } from "./migrations/0001-events.ts";
import { up as budgetSpend } from "./migrations/0002-budget-spend.ts";
import { up as withheld } from "./migrations/0003-withheld.ts";
import { up as spans } from "./migrations/0004-spans.ts";
import { up as pairs } from "./migrations/0005-pairs.ts";
import { up as keys } from "./migrations/0006-keys.ts";
import { up as refusals } from "./migrations/0007-refusals.ts";
import { up as history } from "./migrations/0008-history.ts";

/**
 * Every step of the ledger's schema, in order. The index is the version, so a new one is a file in `migrations/` and an
 * entry at the end. Written in SQLite's dialect: the ledger is always a local file of the gateway.
 */
export const ledgerMigrations: readonly string[] = [
  events,
  budgetSpend,
  withheld,
  spans,
  pairs,
  keys,
  refusals,
  history,
];
