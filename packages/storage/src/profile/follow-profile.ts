import type { Usage } from "@tollgate/core/money/usage";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import { isInKeptSums, readHistory } from "../database/history.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { addedColumns, peakColumns } from "../database/profile-columns.ts";
import type { ControlTransaction } from "../database/schema.ts";
import { type Upsert, upsertRows } from "../database/upsert-rows.ts";
import { mapInTurns, nextTurn, pauseIfDue } from "../engine/next-turn.ts";
import type { Applied, Batch } from "../following/consumer.ts";
import type { StoredConsumer, StoredFollower } from "../following/follow-stored.ts";
import { Follower, type FollowerOptions } from "../following/follower.ts";
import { StoredCursor } from "../following/stored-cursor.ts";
import { readSeq } from "../following/stored-position.ts";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { EVENTS_CURSOR } from "../read-model/deriving/read-model-repair.ts";
import { ProfileIds } from "./profile-ids.ts";
import { PROFILE_CURSOR, profileRepair } from "./profile-repair.ts";
import { ProfileWeeks } from "./profile-weeks.ts";
import { RecentPrompts } from "./recent-prompts.ts";
import { SessionStarts } from "./session-starts.ts";
import { inputParts, ProfileSumsOfDays, profileRowColumns } from "./sum-profile.ts";

interface ProfileOptions {
  /** In tokens; null: unknown. */
  readonly contextWindowOf: (provider: string, model: string) => number | null;
  readonly batchSize?: number;
  /** How many events a prompt is remembered for. */
  readonly reach?: number;
  /** By default the clock of this process. */
  readonly now?: () => number;
  /** Whose weeks are summed in one transaction. */
  readonly agentsAtOnce?: number;
}

const BATCH_SIZE = 2000;
const LARGEST_BATCH = 64_000;

const addDays: Upsert = {
  table: "profile_days",
  columns: profileRowColumns,
  key: ["scope", "day", "agent", "model"],
  add: addedColumns,
  greatest: peakColumns,
};

export function followProfile(
  database: ControlDatabase,
  ledger: LedgerReader,
  options: ProfileOptions & FollowerOptions,
): StoredFollower<ProfiledEvent> {
  const cursor = new StoredCursor(database, PROFILE_CURSOR, async () => LEDGER_START);
  return new Follower(ledger, cursor, new ProfileConsumer(database, ledger, cursor, options), options);
}

/**
 * Builds the agent profile from the ledger, behind the read model. Recent prompts are kept in memory, and at startup
 * they are restored from the events before the cursor, so that a restart changes no sum.
 */
class ProfileConsumer implements StoredConsumer<ProfiledEvent> {
  readonly repair = profileRepair;
  readonly pollMs = 50;
  readonly batchSize: number;
  readonly largestBatch: number;
  readonly upkeepEveryMs = MINUTE_MS;
  readonly #weeks: ProfileWeeks;
  readonly #ids: ProfileIds;
  readonly #sessions: SessionStarts;
  #prompts: RecentPrompts;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly cursor: StoredCursor,
    private readonly options: ProfileOptions,
  ) {
    this.batchSize = options.batchSize ?? BATCH_SIZE;
    this.largestBatch = options.batchSize ?? LARGEST_BATCH;
    this.#ids = new ProfileIds(database.engine);
    this.#sessions = new SessionStarts(database.engine);
    this.#prompts = new RecentPrompts(options.reach);
    this.#weeks = new ProfileWeeks(database.engine, { ...options, now: options.now ?? Date.now });
  }

  /** The read model's position. */
  limit(transaction: ControlTransaction | null): Promise<number> {
    return readSeq(transaction ?? this.database.db, EVENTS_CURSOR);
  }

  read(after: number, upTo: number): ProfiledEvent[] {
    return this.ledger.profiledBetween(after, upTo);
  }

  async apply(batch: Batch<readonly ProfiledEvent[]>, transaction: ControlTransaction): Promise<Applied> {
    const history = await readHistory(transaction);
    const events = batch.events.filter(event => !isInKeptSums(history, event));
    const ids = await this.#ids.of(transaction, events);
    await pauseIfDue();
    const sessions = await this.#sessions.of(transaction, events, ids);
    await pauseIfDue();
    const sums = new ProfileSumsOfDays();
    await mapInTurns(events, (event, index) => {
      const id = ids[index];
      if (id === undefined) throw new Error("an event without its scope, agent and model");
      const usage = usageOfRow(event);
      sums.add({
        event,
        ...id,
        usage,
        marks: this.#prompts.observe(event, hasUsedCache(event, usage)),
        session: sessions[index] ?? null,
        contextWindow: this.options.contextWindowOf(event.provider, event.model),
      });
    });
    await upsertRows(transaction, this.database.engine, addDays, sums.rows());
    await this.#weeks.include(transaction, batch, sums.keys());
    return {};
  }

  /** Weeks are summed once a backlog is derived: most of its events would be late for them. */
  async upkeep(): Promise<boolean> {
    const isMore = await this.cursor.hold(async (transaction, stored) =>
      this.ledger.newestSeq() - stored.seq > this.batchSize
        ? false
        : this.#weeks.sumNext(transaction, stored),
    );
    if (isMore !== null) return isMore;
    // Another process has moved the cursor. The follower does not see that, so the prompts are replayed here.
    this.forget();
    await this.prepare(await this.cursor.position());
    return true;
  }

  /** Replays the events before the cursor into the memory of prompts. */
  async prepare({ seq }: LedgerPosition): Promise<boolean> {
    const prompts = new RecentPrompts(this.options.reach);
    for (let at = Math.max(0, seq - prompts.lookback); at < seq; at += BATCH_SIZE) {
      const events = this.ledger.profiledBetween(at, Math.min(seq, at + BATCH_SIZE));
      for (const event of events) prompts.observe(event, hasUsedCache(event, usageOfRow(event)));
      await nextTurn();
    }
    this.#prompts = prompts;
    return true;
  }

  forget(): void {
    this.#sessions.forget();
    this.#weeks.forget();
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
