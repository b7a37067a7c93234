import { isVerification } from "@tollgate/core/event";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type Upsert, upsertRows, type Value } from "../../database/upsert-rows.ts";
import { PairMap } from "../../engine/pair-map.ts";
import type { EventSummary } from "../../ledger/event-parts.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { storableName } from "../../ledger/storable-name.ts";
import { renameAgents } from "./rename-agents.ts";

/** The agent number in facts and sums of calls made by verifications: they are not an agent's own calls. */
export const VERIFICATIONS = -1;

type WithEvent = { readonly event: EventSummary };

const addScopes: Upsert = { table: "scopes", columns: ["org_id", "mode"], key: ["org_id", "mode"], add: [] };
const addModels: Upsert = {
  table: "models",
  columns: ["provider", "model"],
  key: ["provider", "model"],
  add: [],
};
const addAgents: Upsert = {
  table: "agents",
  columns: ["scope", "agent_key", "agent_id", "first_seen_at", "last_call_at"],
  key: ["scope", "agent_key"],
  add: [],
  greatest: ["last_call_at"],
  returning: ["id", "scope", "agent_key"],
};
const registerAgents: Upsert = { ...addAgents, greatest: [] };

type ByNames = PairMap<string, string, number>;

/** An agent's calls in a batch. */
interface CallingAgent {
  readonly scope: number;
  readonly event: EventSummary;
  lastCallAt: number;
}

/**
 * The numeric ids of names in the read model, cached. After a failed transaction the cache must be cleared, because its
 * ids may not exist.
 */
export class KnownIds {
  readonly #scopes: ByNames = new PairMap();
  readonly #models: ByNames = new PairMap();
  /** By scope and key. */
  readonly #publicAgents = new PairMap<
    number,
    string,
    { readonly id: string; readonly first_seen_at: number }
  >();

  constructor(
    private readonly engine: Engine,
    private readonly ledger: LedgerReader,
  ) {}

  forget(): void {
    this.#scopes.clear();
    this.#models.clear();
    this.#publicAgents.clear();
  }

  /** The scope of each change, in order, as in the two methods below. */
  async scopes(db: ControlDb, changes: readonly WithEvent[]): Promise<number[]> {
    const unknown = changes.filter(({ event }) => !this.#scopes.has(event.org_id, event.mode));
    if (unknown.length > 0) {
      await this.#add(
        db,
        addScopes,
        unique(unknown, ({ org_id, mode }) => [org_id, mode]),
      );
      for (const row of await db.selectFrom("scopes").selectAll().execute()) {
        this.#scopes.set(row.org_id, row.mode, row.id);
      }
    }
    return changes.map(({ event }) => written(this.#scopes.get(event.org_id, event.mode)));
  }

  async models(db: ControlDb, changes: readonly WithEvent[]): Promise<number[]> {
    const unknown = changes.filter(({ event }) => !this.#models.has(event.model, event.provider));
    if (unknown.length > 0) {
      await this.#add(
        db,
        addModels,
        unique(unknown, ({ provider, model }) => [provider, model]),
      );
      for (const row of await db.selectFrom("models").selectAll().execute()) {
        this.#models.set(row.model, row.provider, row.id);
      }
    }
    return changes.map(({ event }) => written(this.#models.get(event.model, event.provider)));
  }

  /** Also records each agent's last call. */
  async agents(db: ControlDb, changes: readonly WithEvent[], scopes: readonly number[]): Promise<number[]> {
    const calling = new PairMap<number, string, CallingAgent>();
    for (const [index, { event }] of changes.entries()) {
      if (isVerification(event.source)) continue;
      const scope = scopes[index] ?? 0;
      const agent = calling.getOrAdd(scope, event.agent_key, () => ({
        scope,
        event,
        lastCallAt: event.created_at,
      }));
      agent.lastCallAt = Math.max(agent.lastCallAt, event.created_at);
    }
    const rows = [...calling.values()].map(({ scope, event, lastCallAt }) => {
      const { id, first_seen_at } = this.#publicAgents.getOrAdd(scope, event.agent_key, () =>
        this.#publicAgent(event),
      );
      return [scope, event.agent_key, id, first_seen_at, lastCallAt];
    });
    const ids = new PairMap<number, string, number>();
    for (const row of await upsertRows<{ id: number; scope: number; agent_key: string }>(
      db,
      this.engine,
      addAgents,
      rows,
    )) {
      ids.set(row.scope, row.agent_key, row.id);
    }
    return changes.map(({ event }, index) =>
      isVerification(event.source) ? VERIFICATIONS : written(ids.get(scopes[index] ?? 0, event.agent_key)),
    );
  }

  /** An agent exists even while its first call is in flight. */
  async registerAgents(db: ControlDb): Promise<void> {
    const agents = this.ledger.agents().map(row => ({ ...row, agent_key: storableName(row.agent_key) }));
    await this.#add(db, addScopes, distinct(agents.map(({ org_id, mode }) => [org_id, mode])));
    const scopes: ByNames = new PairMap();
    for (const row of await db.selectFrom("scopes").selectAll().execute()) {
      scopes.set(row.org_id, row.mode, row.id);
    }
    const registered = new PairMap<number, string, string>();
    const rows = agents.map(({ org_id, mode, agent_key, id, first_seen_at }) => {
      const scope = written(scopes.get(org_id, mode));
      registered.set(scope, agent_key, id);
      return [scope, agent_key, id, first_seen_at, null];
    });
    const known = await db.selectFrom("agents").select(["scope", "agent_key", "agent_id"]).execute();
    await renameAgents(
      db,
      known.flatMap(({ scope, agent_key, agent_id: from }) => {
        const to = registered.get(scope, agent_key) ?? from;
        return to === from ? [] : [{ from, to }];
      }),
    );
    await this.#add(db, registerAgents, rows);
  }

  #publicAgent(event: EventSummary): { readonly id: string; readonly first_seen_at: number } {
    return (
      this.ledger.agent(event.org_id, event.mode, event.agent_key) ?? {
        id: fallbackAgentId(event),
        first_seen_at: event.created_at,
      }
    );
  }

  async #add(db: ControlDb, upsert: Upsert, rows: readonly (readonly Value[])[]): Promise<void> {
    await upsertRows(db, this.engine, upsert, rows);
  }
}

/** An agent that never registered gets a deterministic id, the same whenever it is derived. */
export function fallbackAgentId(event: Pick<EventSummary, "org_id" | "mode" | "agent_key">): string {
  const name = JSON.stringify([event.org_id, event.mode, event.agent_key]);
  const hex = new Bun.SHA256().update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function unique(
  changes: readonly WithEvent[],
  namesOf: (event: EventSummary) => readonly [string, string],
): (readonly [string, string])[] {
  return distinct(changes.map(({ event }) => namesOf(event)));
}

function distinct(names: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const pairs = new PairMap<string, string, readonly [string, string]>();
  for (const pair of names) pairs.set(...pair, pair);
  return [...pairs.values()];
}

function written(id: number | undefined): number {
  if (id === undefined) throw new Error("a name has no id after it was written");
  return id;
}
