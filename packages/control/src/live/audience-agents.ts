import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Kysely } from "kysely";

interface Said {
  readonly name: string | null;
  readonly isArchived: boolean;
  readonly isPaused: boolean;
}

export interface AudienceAgent {
  readonly id: string;
  readonly agentKey: string;
  readonly name: string;
  readonly isArchived: boolean;
  readonly isPaused: boolean;
}

const nothingSaid: Said = { name: null, isArchived: false, isPaused: false };

/** The agents of one scope: the ledger knows them from their first call on, people may say more of them. */
export class AudienceAgents {
  readonly #ids = new Map<string, string>();
  #said: ReadonlyMap<string, Said> = new Map();

  constructor(
    private readonly db: Kysely<ControlSchema>,
    private readonly ledger: LedgerReader,
    private readonly scope: Scope,
  ) {}

  idOf(agentKey: string): string | null {
    const known = this.#ids.get(storableName(agentKey));
    if (known !== undefined) return known;
    const found = this.ledger.agent(this.scope.orgId, this.scope.mode, agentKey);
    if (found === null) return null;
    this.#ids.set(storableName(agentKey), found.id);
    return found.id;
  }

  get(agentKey: string): AudienceAgent | null {
    const id = this.idOf(agentKey);
    if (id === null) return null;
    const said = this.#said.get(id) ?? nothingSaid;
    return { id, agentKey, ...said, name: said.name ?? agentKey };
  }

  /** Reads all of them, and what people say. */
  async load(): Promise<void> {
    for (const { agent_key, id } of this.ledger.agentsOf(this.scope.orgId, this.scope.mode)) {
      this.#ids.set(storableName(agent_key), id);
    }
    await this.loadSaid();
  }

  async loadSaid(): Promise<void> {
    const rows = await this.db
      .selectFrom("agent_settings")
      .select(["agent_id", "name", "archived_at", "paused_at"])
      .where("org_id", "=", this.scope.orgId)
      .where("mode", "=", this.scope.mode)
      .execute();
    this.#said = new Map(
      rows.map(row => [
        row.agent_id,
        { name: row.name, isArchived: row.archived_at !== null, isPaused: row.paused_at !== null },
      ]),
    );
  }

  keys(): Iterable<string> {
    return this.#ids.keys();
  }
}
