import { listOfTexts } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { type Upsert, upsertRows } from "../database/upsert-rows.ts";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { storableName } from "../ledger/storable-name.ts";
import type { ProfileIdsOfEvent } from "./profile-ids.ts";
import type { ProfiledCall } from "./sum-profile.ts";

const MAX_REMEMBERED = 50_000;

const addSessions: Upsert = {
  table: "profile_sessions",
  columns: ["session_id", "scope", "agent", "first_input_tokens"],
  key: ["session_id", "scope", "agent"],
  add: [],
};

/** The length of each session's first prompt, per agent in it. Sessions can be long, so it is kept on disk. */
export class SessionStarts {
  readonly #starts = new Map<string, number>();

  constructor(private readonly engine: Engine) {}

  /** After a failed transaction, cached rows may not exist. */
  forget(): void {
    this.#starts.clear();
  }

  /** In event order. A call that sent nothing starts no session, because it never reached a model. */
  async of(
    db: ControlDb,
    events: readonly ProfiledEvent[],
    ids: readonly ProfileIdsOfEvent[],
  ): Promise<ProfiledCall["session"][]> {
    if (this.#starts.size > MAX_REMEMBERED) this.#starts.clear();
    const calls = events.map((event, index) => {
      const id = ids[index];
      if (event.session_id === null || event.input_tokens === 0 || id === undefined) return null;
      const session = storableName(event.session_id);
      return { ...id, session, inputTokens: event.input_tokens, key: keyOf(session, id.scope, id.agent) };
    });
    const sessions = new Set(
      calls.flatMap(call => (call && !this.#starts.has(call.key) ? call.session : [])),
    );
    if (sessions.size > 0) await this.#read(db, [...sessions]);
    const added: (string | number)[][] = [];
    const answer = calls.map(call => {
      if (call === null) return null;
      const known = this.#starts.get(call.key);
      if (known !== undefined) return { firstInputTokens: known, isFirst: false };
      this.#starts.set(call.key, call.inputTokens);
      added.push([call.session, call.scope, call.agent, call.inputTokens]);
      return { firstInputTokens: call.inputTokens, isFirst: true };
    });
    await upsertRows(db, this.engine, addSessions, added);
    return answer;
  }

  async #read(db: ControlDb, sessions: readonly string[]): Promise<void> {
    const rows = await db
      .selectFrom("profile_sessions")
      .selectAll()
      .where("session_id", "in", listOfTexts(this.engine, sessions))
      .execute();
    for (const row of rows) {
      this.#starts.set(keyOf(row.session_id, row.scope, row.agent), row.first_input_tokens);
    }
  }
}

function keyOf(session: string, scope: number, agent: number): string {
  return `${scope} ${agent} ${session}`;
}
