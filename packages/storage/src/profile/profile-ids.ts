import { listOfTexts } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { storableName } from "../ledger/storable-name.ts";

export interface ProfileIdsOfEvent {
  readonly scope: number;
  readonly agent: number;
  readonly model: number;
}

/** Names come from clients, so the cache is bounded; evicted names are queried again. */
const MAX_REMEMBERED = 50_000;

/**
 * The read model's numeric ids, read-only here: the profile never runs ahead of the read model, which has written them.
 * Two writers of the same rows would block each other or deadlock.
 */
export class ProfileIds {
  readonly #scopes = new Map<string, number>();
  readonly #agents = new Map<string, number>();
  readonly #models = new Map<string, number>();

  constructor(private readonly engine: Engine) {}

  /** In event order. */
  async of(db: ControlDb, events: readonly ProfiledEvent[]): Promise<ProfileIdsOfEvent[]> {
    const names = events.map(event => ({
      scope: pair(event.mode, event.org_id),
      agent: storableName(event.agent_key),
      model: pair(storableName(event.provider), storableName(event.model)),
    }));
    if (names.some(({ scope }) => !this.#scopes.has(scope))) await this.#readScopes(db);
    if (names.some(({ model }) => !this.#models.has(model))) await this.#readModels(db, events);
    const agentOf = ({ scope, agent }: { scope: string; agent: string }) =>
      pair(found(this.#scopes, scope), agent);
    const unknown = names.filter(name => !this.#agents.has(agentOf(name)));
    if (unknown.length > 0) await this.#readAgents(db, names);
    return names.map(name => ({
      scope: found(this.#scopes, name.scope),
      agent: found(this.#agents, agentOf(name)),
      model: found(this.#models, name.model),
    }));
  }

  async #readScopes(db: ControlDb): Promise<void> {
    for (const row of await db.selectFrom("scopes").selectAll().execute()) {
      this.#scopes.set(pair(row.mode, row.org_id), row.id);
    }
  }

  async #readModels(db: ControlDb, events: readonly ProfiledEvent[]): Promise<void> {
    if (this.#models.size > MAX_REMEMBERED) this.#models.clear();
    const models = [...new Set(events.map(event => storableName(event.model)))];
    const rows = await db
      .selectFrom("models")
      .selectAll()
      .where("model", "in", listOfTexts(this.engine, models))
      .execute();
    for (const row of rows) this.#models.set(pair(row.provider, row.model), row.id);
  }

  async #readAgents(db: ControlDb, names: readonly { scope: string; agent: string }[]): Promise<void> {
    if (this.#agents.size > MAX_REMEMBERED) this.#agents.clear();
    const byScope = Map.groupBy(names, ({ scope }) => found(this.#scopes, scope));
    for (const [scope, named] of byScope) {
      const keys = [...new Set(named.map(({ agent }) => agent))];
      const rows = await db
        .selectFrom("agents")
        .select(["id", "agent_key"])
        .where("scope", "=", scope)
        .where("agent_key", "in", listOfTexts(this.engine, keys))
        .execute();
      for (const row of rows) this.#agents.set(pair(scope, row.agent_key), row.id);
    }
  }
}

function pair(first: string | number, second: string): string {
  return `${first}\n${second}`;
}

function found(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined)
    throw new Error("an event before the read model's cursor is missing from the read model");
  return id;
}
