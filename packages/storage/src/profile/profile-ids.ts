import { listOfTexts } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { PairMap } from "../engine/pair-map.ts";
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
  readonly #scopes = new PairMap<string, string, number>();
  /** By scope and key. */
  readonly #agents = new PairMap<number, string, number>();
  readonly #models = new PairMap<string, string, number>();

  constructor(private readonly engine: Engine) {}

  /** In event order. */
  async of(db: ControlDb, events: readonly ProfiledEvent[]): Promise<ProfileIdsOfEvent[]> {
    if (events.some(event => !this.#scopes.has(event.org_id, event.mode))) await this.#readScopes(db);
    const named = events.map(event => ({
      scope: found(this.#scopes.get(event.org_id, event.mode)),
      agent: storableName(event.agent_key),
      provider: storableName(event.provider),
      model: storableName(event.model),
    }));
    if (named.some(({ model, provider }) => !this.#models.has(model, provider))) {
      await this.#readModels(db, named);
    }
    if (named.some(({ scope, agent }) => !this.#agents.has(scope, agent))) await this.#readAgents(db, named);
    return named.map(({ scope, agent, provider, model }) => ({
      scope,
      agent: found(this.#agents.get(scope, agent)),
      model: found(this.#models.get(model, provider)),
    }));
  }

  async #readScopes(db: ControlDb): Promise<void> {
    for (const row of await db.selectFrom("scopes").selectAll().execute()) {
      this.#scopes.set(row.org_id, row.mode, row.id);
    }
  }

  async #readModels(db: ControlDb, named: readonly { model: string }[]): Promise<void> {
    if (this.#models.size > MAX_REMEMBERED) this.#models.clear();
    const models = [...new Set(named.map(({ model }) => model))];
    const rows = await db
      .selectFrom("models")
      .selectAll()
      .where("model", "in", listOfTexts(this.engine, models))
      .execute();
    for (const row of rows) this.#models.set(row.model, row.provider, row.id);
  }

  async #readAgents(db: ControlDb, named: readonly { scope: number; agent: string }[]): Promise<void> {
    if (this.#agents.size > MAX_REMEMBERED) this.#agents.clear();
    for (const [scope, ofScope] of Map.groupBy(named, ({ scope }) => scope)) {
      const keys = [...new Set(ofScope.map(({ agent }) => agent))];
      const rows = await db
        .selectFrom("agents")
        .select(["id", "agent_key"])
        .where("scope", "=", scope)
        .where("agent_key", "in", listOfTexts(this.engine, keys))
        .execute();
      for (const row of rows) this.#agents.set(scope, row.agent_key, row.id);
    }
  }
}

function found(id: number | undefined): number {
  if (id === undefined)
    throw new Error("an event before the read model's cursor is missing from the read model");
  return id;
}
