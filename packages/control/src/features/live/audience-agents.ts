import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { storableName } from "@tollgate/storage/ledger/storable-name";

interface Settings {
  readonly name: string | null;
  readonly isArchived: boolean;
  readonly isPaused: boolean;
}

interface AudienceAgent {
  readonly id: string;
  readonly agentKey: string;
  readonly name: string;
  readonly isArchived: boolean;
  readonly isPaused: boolean;
}

const noSettings: Settings = { name: null, isArchived: false, isPaused: false };

/** The agents of one scope: the ledger knows an agent from its first call; people add names and settings. */
export class AudienceAgents {
  readonly #ids = new Map<string, string>();
  #settings: ReadonlyMap<string, Settings> = new Map();

  constructor(
    private readonly db: ControlDb,
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
    const settings = this.#settings.get(id) ?? noSettings;
    return { id, agentKey, ...settings, name: settings.name ?? agentKey };
  }

  /** Reads all agents and their settings. */
  async load(): Promise<void> {
    for (const { agent_key, id } of this.ledger.agentsOf(this.scope.orgId, this.scope.mode)) {
      this.#ids.set(storableName(agent_key), id);
    }
    await this.loadSettings();
  }

  async loadSettings(): Promise<void> {
    const rows = await this.db
      .selectFrom("agent_settings")
      .select(["agent_id", "name", "archived_at", "paused_at"])
      .where(inScope(this.scope))
      .execute();
    this.#settings = new Map(
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
