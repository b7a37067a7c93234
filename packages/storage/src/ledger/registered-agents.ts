import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";

export interface NewAgent {
  readonly id: string;
  readonly org_id: string;
  readonly mode: Mode;
  readonly agent_key: string;
  readonly first_seen_at: number;
}

/** The agents that have made calls. */
export class RegisteredAgents {
  readonly #add;

  constructor(private readonly database: Database) {
    this.#add = database.query(
      "INSERT OR IGNORE INTO agents (org_id, mode, agent_key, id, first_seen_at) VALUES (?, ?, ?, ?, ?)",
    );
  }

  add(agent: NewAgent): void {
    this.#add.run(agent.org_id, agent.mode, agent.agent_key, agent.id, agent.first_seen_at);
  }

  of(orgId: string, mode: Mode, atMost: number): string[] {
    return this.database
      .query<{ agent_key: string }, [string, string, number]>(
        "SELECT agent_key FROM agents WHERE org_id = ? AND mode = ? ORDER BY first_seen_at LIMIT ?",
      )
      .all(orgId, mode, atMost)
      .map(row => row.agent_key);
  }

  has(orgId: string, mode: Mode, agentKey: string): boolean {
    const row = this.database
      .query<{ found: number }, [string, string, string]>(
        "SELECT 1 AS found FROM agents WHERE org_id = ? AND mode = ? AND agent_key = ?",
      )
      .get(orgId, mode, agentKey);
    return row !== null;
  }
}
