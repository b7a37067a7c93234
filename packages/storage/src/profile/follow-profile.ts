import type { Usage } from "@tollgate/core/money/usage";
import type { Kysely } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { addedColumns, peakColumns } from "../database/profile-columns.ts";
import type { ControlSchema } from "../database/schema.ts";
import { type Upsert, upsertRows } from "../database/upsert-rows.ts";
import { withoutSync } from "../database/without-sync.ts";
import { Following } from "../following/following.ts";
import type { LedgerContinuity } from "../following/ledger-continuity.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { beginPosition, lockPosition, movePosition, readPosition } from "../following/stored-position.ts";
import { isSamePosition, LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader, ProfiledEvent } from "../ledger/ledger-reader.ts";
import { EVENTS_CURSOR } from "../read-model/follow-ledger.ts";
import { ProfileIds } from "./profile-ids.ts";
import { RecentPrompts } from "./recent-prompts.ts";
import { SessionStarts } from "./session-starts.ts";
import { inputParts, ProfileSumsOfDays, profileRowColumns } from "./sum-profile.ts";

export const PROFILE_CURSOR = "profile:events";

const BATCH = 2000;
const POLL_MS = 50;

export interface ProfileFollowerOptions {
  /** Tokens; null: not known. */
  readonly contextWindowOf: (provider: string, model: string) => number | null;
  /** Events a transaction. */
  readonly batch?: number;
  /** How many events back a prompt is remembered. */
  readonly reach?: number;
  /** Repairs what was derived from another ledger. */
  readonly continuity?: LedgerContinuity;
  /** What `run` survived. */
  readonly onFault?: (fault: unknown) => void;
}

const addDays: Upsert = {
  table: "profile_days",
  columns: profileRowColumns,
  key: ["scope", "day", "agent", "model"],
  add: addedColumns,
  greatest: peakColumns,
};

type Database = Kysely<ControlSchema>;

interface Step {
  readonly added: number;
  readonly isDone: boolean;
}

/**
 * Makes the agent profile from the ledger, behind the read model. Sums, sessions and the cursor are one transaction:
 * a crash repeats nothing and skips nothing. What was seen of prompts is in memory, and after a start made anew from
 * the events before the cursor, so that a restart changes no sum.
 */
export class ProfileFollower {
  readonly #ids: ProfileIds;
  readonly #sessions: SessionStarts;
  readonly #batch: number;
  /** As it was after the event of that number; null: to be made. */
  #recent: { readonly prompts: RecentPrompts; readonly upTo: LedgerPosition } | null = null;
  #committed: LedgerPosition = LEDGER_START;
  readonly #following: Following;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly options: ProfileFollowerOptions,
  ) {
    this.#batch = options.batch ?? BATCH;
    this.#ids = new ProfileIds(database.engine);
    this.#sessions = new SessionStarts(database.engine);
    this.#following = new Following(options.continuity ?? null, () => this.#forget());
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(
      signal,
      POLL_MS,
      async () => {
        if (!isSamePosition(this.ledger.newestPosition(), this.#committed)) await this.catchUp(signal);
      },
      fault => this.options.onFault?.(fault),
    );
  }

  /** As far as the read model is. Resolves with the number of events that were new. */
  catchUp(signal?: AbortSignal): Promise<number> {
    return this.#following.attempt(() => this.#catchUp(signal));
  }

  async #catchUp(signal?: AbortSignal): Promise<number> {
    let events = 0;
    while (signal?.aborted !== true) {
      const { added, isDone } = await this.#step();
      if (isDone) break;
      events += added;
      // SQLite never waits for anything: without this, nobody else would have a turn until the last event.
      await nextTurn();
    }
    return events;
  }

  async #step(): Promise<Step> {
    const stored = await this.#readCursors(this.database.db);
    this.#committed = stored.profile;
    if (stored.profile.seq >= stored.readModel) {
      this.ledger.readFrom(stored.profile, () => {});
      return { added: 0, isDone: true };
    }
    if (this.#recent === null || !isSamePosition(this.#recent.upTo, stored.profile)) {
      this.#forget();
      await this.#remember(stored.profile);
    }
    try {
      return await withoutSync(this.database, db =>
        db.transaction().execute(transaction => this.#addEvents(transaction)),
      );
    } catch (fault) {
      this.#forget();
      throw fault;
    }
  }

  #forget(): void {
    this.#recent = null;
    this.#committed = LEDGER_START;
    this.#sessions.forget();
  }

  async #addEvents(transaction: Database): Promise<Step> {
    const cursors = await this.#readCursors(transaction, "locked");
    const recent = this.#recent;
    // Somebody else has moved it meanwhile: what they saw has to be seen first.
    if (recent === null || !isSamePosition(recent.upTo, cursors.profile)) {
      this.#recent = null;
      return { added: 0, isDone: false };
    }
    const { events, to } = this.ledger.readFrom(cursors.profile, ({ seq }) => {
      const events = this.ledger.profiledAfter(seq, cursors.readModel, this.#batch);
      return { events, to: this.ledger.positionAt(events.at(-1)?.seq ?? 0) };
    });
    if (events.length === 0 || to === null) return { added: 0, isDone: true };
    await this.#write(transaction, events, recent.prompts);
    await movePosition(transaction, PROFILE_CURSOR, to);
    this.#recent = { prompts: recent.prompts, upTo: to };
    return { added: events.length, isDone: false };
  }

  async #write(
    transaction: Database,
    events: readonly ProfiledEvent[],
    prompts: RecentPrompts,
  ): Promise<void> {
    const ids = await this.#ids.of(transaction, events);
    const sessions = await this.#sessions.of(transaction, events, ids);
    const sums = new ProfileSumsOfDays();
    for (const [index, event] of events.entries()) {
      const id = ids[index];
      if (id === undefined) throw new Error("an event without its scope, agent and model");
      const usage = usageOfRow(event);
      sums.add({
        event,
        ...id,
        usage,
        marks: prompts.observe(event, hasUsedCache(event, usage)),
        session: sessions[index] ?? null,
        contextWindow: this.options.contextWindowOf(event.provider, event.model),
      });
    }
    await upsertRows(transaction, this.database.engine, addDays, sums.rows());
  }

  /** The prompts before the cursor, as if it had been there when they came. */
  async #remember(place: LedgerPosition): Promise<void> {
    const cursor = place.seq;
    const prompts = new RecentPrompts(this.options.reach);
    let at = Math.max(0, cursor - prompts.lookback);
    for (;;) {
      const events = this.ledger.profiledAfter(at, cursor, BATCH);
      for (const event of events) prompts.observe(event, hasUsedCache(event, usageOfRow(event)));
      const last = events.at(-1);
      if (last === undefined) break;
      at = last.seq;
      await nextTurn();
    }
    this.#recent = { prompts, upTo: place };
  }

  async #readCursors(
    db: Database,
    how: "locked" | "as it is" = "as it is",
  ): Promise<{ readonly profile: LedgerPosition; readonly readModel: number }> {
    const { engine } = this.database;
    const profile = await (how === "locked"
      ? lockPosition(db, engine, PROFILE_CURSOR)
      : readPosition(db, PROFILE_CURSOR));
    if (profile === null) {
      await beginPosition(db, PROFILE_CURSOR, LEDGER_START);
      return this.#readCursors(db, how);
    }
    const readModel = await readPosition(db, EVENTS_CURSOR);
    return { profile, readModel: readModel?.seq ?? 0 };
  }
}

function usageOfRow(event: ProfiledEvent): Usage {
  // The ledger wrote it.
  return JSON.parse(event.usage) as Usage;
}

function hasUsedCache(event: ProfiledEvent, usage: Usage): boolean {
  const { read, write, write1h } = inputParts(event.input_tokens, usage);
  return read + write + write1h > 0;
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
