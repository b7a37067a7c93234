import type { ControlDb, ControlSchema } from "../../database/schema.ts";

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

interface RenamedAgent {
  readonly from: string;
  readonly to: string;
}

/**
 * An agent whose first call is missing from a restored ledger gets a new id with its next call. Its settings, budgets
 * and outcomes move to that id.
 */
export async function renameAgents(db: ControlDb, renamed: readonly RenamedAgent[]): Promise<void> {
  for (const { from, to } of renamed) {
    for (const table of tables) {
      await db.updateTable(table).set({ agent_id: to }).where("agent_id", "=", from).execute();
    }
  }
}
