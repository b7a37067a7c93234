import type { ControlTransaction } from "../database/schema.ts";
import { upsertRows } from "../database/upsert-rows.ts";
import type { LedgerReader, SequencedEvent } from "../ledger/ledger-reader.ts";

const agents = {
  table: "shared_agents",
  columns: ["org_id", "mode", "agent_key", "id", "first_seen_at", "position"],
  key: ["org_id", "mode", "agent_key"],
  add: [],
} as const;

const cards = {
  table: "shared_rate_cards",
  columns: ["version", "card"],
  key: ["version"],
  add: [],
} as const;

/**
 * Ships what events refer to: agents and rate cards. Two nodes may register the same agent at once; then the first one
 * to ship it decides its id.
 */
export class SharedNames {
  readonly #agents = new Set<string>();
  #cards = 0;

  constructor(private readonly ledger: LedgerReader) {}

  /** The result is called after the commit. */
  async ship(
    transaction: ControlTransaction,
    events: readonly SequencedEvent[],
    position: number,
  ): Promise<() => void> {
    const newAgents = new Map<string, (string | number)[]>();
    for (const { event } of events) {
      const { org_id, mode, agent_key } = event;
      const name = JSON.stringify([org_id, mode, agent_key]);
      if (this.#agents.has(name) || newAgents.has(name)) continue;
      const agent = this.ledger.agent(org_id, mode, agent_key);
      if (agent === null) continue;
      // As JSON: PostgreSQL's text cannot hold every character that a sender may use in a name.
      newAgents.set(name, [org_id, mode, JSON.stringify(agent_key), agent.id, agent.first_seen_at, position]);
    }
    const newCards = this.ledger.rateCardCount() === this.#cards ? null : this.ledger.rateCards();
    await upsertRows(transaction, "postgres", agents, [...newAgents.values()]);
    await upsertRows(
      transaction,
      "postgres",
      cards,
      (newCards ?? []).map(({ version, card }) => [version, card]),
    );
    return () => {
      for (const name of newAgents.keys()) this.#agents.add(name);
      if (newCards !== null) this.#cards = newCards.length;
    };
  }

  forget(): void {
    this.#agents.clear();
    this.#cards = 0;
  }
}
