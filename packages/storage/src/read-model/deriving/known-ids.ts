import { isVerification } from "@tollgate/core/event";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type Upsert, upsertRows, type Value } from "../../database/upsert-rows.ts";
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

/**
 * The numeric ids of names in the read model, cached. After a failed transaction the cache must be cleared, because its
 * ids may not exist.
 */
export class KnownIds {
  readonly #scopes = new Map<string, number>();
  readonly #models = new Map<string, number>();
  readonly #publicAgents = new Map<string, { readonly id: string; readonly first_seen_at: number }>();

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
    const names = changes.map(({ event }) => pair(event.org_id, event.mode));
    const missing = names.some(name => !this.#scopes.has(name));
    if (missing) {
      await this.#add(
        db,
        addScopes,
        unique(changes, ({ org_id, mode }) => [org_id, mode]),
      );
      for (const row of await db.selectFrom("scopes").selectAll().execute()) {
        this.#scopes.set(pair(row.org_id, row.mode), row.id);
      }
    }
    return names.map(name => found(this.#scopes, name));
  }

  async models(db: ControlDb, changes: readonly WithEvent[]): Promise<number[]> {
    const names = changes.map(({ event }) => pair(event.provider, event.model));
    const missing = names.some(name => !this.#models.has(name));
    if (missing) {
      await this.#add(
        db,
        addModels,
        unique(changes, ({ provider, model }) => [provider, model]),
      );
      for (const row of await db.selectFrom("models").selectAll().execute()) {
        this.#models.set(pair(row.provider, row.model), row.id);
      }
    }
    return names.map(name => found(this.#models, name));
  }

  /** Also records each agent's last call. */
  async agents(db: ControlDb, changes: readonly WithEvent[], scopes: readonly number[]): Promise<number[]> {
    const rows = new Map<string, [number, string, string, number, number]>();
    const names = changes.map(({ event }, index) => {
      if (isVerification(event.source)) return null;
      const scope = scopes[index] ?? 0;
      const name = pair(scope, event.agent_key);
      const row = rows.get(name);
      if (row) row[4] = Math.max(row[4], event.created_at);
      else {
        const { id, first_seen_at } = this.#publicAgent(event);
        rows.set(name, [scope, event.agent_key, id, first_seen_at, event.created_at]);
      }
      return name;
    });
    const written = await upsertRows<{ id: number; scope: number; agent_key: string }>(
      db,
      this.engine,
      addAgents,
      [...rows.values()],
    );
    const ids = new Map(written.map(row => [pair(row.scope, row.agent_key), row.id]));
    return names.map(name => (name === null ? VERIFICATIONS : found(ids, name)));
  }

  /** An agent exists even while its first call is in flight. */
  async registerAgents(db: ControlDb): Promise<void> {
    const agents = this.ledger.agents().map(row => ({ ...row, agent_key: storableName(row.agent_key) }));
    await this.#add(db, addScopes, [
      ...new Map(agents.map(row => [pair(row.org_id, row.mode), [row.org_id, row.mode]])).values(),
    ]);
    const rows = await db.selectFrom("scopes").selectAll().execute();
    const scopes = new Map(rows.map(row => [pair(row.org_id, row.mode), row.id]));
    const ids = new Map(
      agents.map(row => [pair(found(scopes, pair(row.org_id, row.mode)), row.agent_key), row.id]),
    );
    const known = await db.selectFrom("agents").select(["scope", "agent_key", "agent_id"]).execute();
    await renameAgents(
      db,
      known.flatMap(({ scope, agent_key, agent_id: from }) => {
        const to = ids.get(pair(scope, agent_key)) ?? from;
        return to === from ? [] : [{ from, to }];
      }),
    );
    await this.#add(
      db,
      registerAgents,
      agents.map(row => [
        found(scopes, pair(row.org_id, row.mode)),
        row.agent_key,
        row.id,
        row.first_seen_at,
        null,
      ]),
    );
  }

  #publicAgent(event: EventSummary): { readonly id: string; readonly first_seen_at: number } {
    const name = pair(pair(event.org_id, event.mode), event.agent_key);
    let agent = this.#publicAgents.get(name);
    if (agent === undefined) {
      agent = this.ledger.agent(event.org_id, event.mode, event.agent_key) ?? {
        id: fallbackAgentId(event),
        first_seen_at: event.created_at,
      };
      this.#publicAgents.set(name, agent);
    }
    return agent;
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

function pair(first: string | number, second: string): string {
  return `${first}\n${second}`;
}

function unique(
  changes: readonly WithEvent[],
  rowOf: (event: EventSummary) => [string, string],
): [string, string][] {
  return [...new Map(changes.map(({ event }) => [pair(...rowOf(event)), rowOf(event)])).values()];
}

function found(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error("a name has no id after it was written");
  return id;
}
