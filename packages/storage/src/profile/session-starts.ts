import { listOfTexts } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { type Upsert, upsertRows } from "../database/upsert-rows.ts";
import { PairMap } from "../engine/pair-map.ts";
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
  /** By agent and session. */
  readonly #starts = new PairMap<number, string, number>();

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
    const sessions = events.map(({ session_id, input_tokens }) =>
      session_id === null || input_tokens === 0 ? null : storableName(session_id),
    );
    const unknown = new Set<string>();
    for (const [index, session] of sessions.entries()) {
      const id = ids[index];
      if (session !== null && id !== undefined && !this.#starts.has(id.agent, session)) unknown.add(session);
    }
    if (unknown.size > 0) await this.#read(db, [...unknown]);
    const added: (string | number)[][] = [];
    const answer = events.map(({ input_tokens }, index) => {
      const session = sessions[index] ?? null;
      const id = ids[index];
      if (session === null || id === undefined) return null;
      const known = this.#starts.get(id.agent, session);
      if (known !== undefined) return { firstInputTokens: known, isFirst: false };
      this.#starts.set(id.agent, session, input_tokens);
      added.push([session, id.scope, id.agent, input_tokens]);
      return { firstInputTokens: input_tokens, isFirst: true };
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
      this.#starts.set(row.agent, row.session_id, row.first_input_tokens);
    }
  }
}
