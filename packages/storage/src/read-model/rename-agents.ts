import type { Kysely } from "kysely";
import type { ControlSchema } from "../database/schema.ts";

/** The tables that refer to an agent by its id. */
const tables = [
  "agents",
  "agent_settings",
  "budgets",
  "alert_thresholds",
  "optimizations",
  "experiments",
  "outcomes",
  "alerts",
  "predictions",
] as const satisfies (keyof ControlSchema)[];

export interface RenamedAgent {
  readonly from: string;
  readonly to: string;
}

/**
 * An agent whose first call is not in a restored ledger gets a new id with its next call. Its settings, budgets and
 * outcomes move to that id.
 */
export async function renameAgents(
  db: Kysely<ControlSchema>,
  renamed: readonly RenamedAgent[],
): Promise<void> {
  for (const { from, to } of renamed) {
    for (const table of tables) {
      await db.updateTable(table).set({ agent_id: to }).where("agent_id", "=", from).execute();
    }
  }
}
