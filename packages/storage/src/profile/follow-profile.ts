import type { Usage } from "@tollgate/core/money/usage";
import { isInKeptSums, readHistory } from "../database/history.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { addedColumns, peakColumns } from "../database/profile-columns.ts";
import type { ControlTransaction } from "../database/schema.ts";
import { type Upsert, upsertRows } from "../database/upsert-rows.ts";
import { mapInTurns, nextTurn, pauseIfDue } from "../engine/next-turn.ts";
import type { Applied, Batch } from "../following/consumer.ts";
import { followStored, type StoredConsumer, type StoredFollower } from "../following/follow-stored.ts";
import type { FollowerOptions } from "../following/follower.ts";
import { readSeq } from "../following/stored-position.ts";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { EVENTS_CURSOR } from "../read-model/deriving/read-model-repair.ts";
import { ProfileIds } from "./profile-ids.ts";
import { profileRepair } from "./profile-repair.ts";
import { RecentPrompts } from "./recent-prompts.ts";
import { SessionStarts } from "./session-starts.ts";
import { inputParts, ProfileSumsOfDays, profileRowColumns } from "./sum-profile.ts";

interface ProfileOptions {
  /** In tokens; null: unknown. */
  readonly contextWindowOf: (provider: string, model: string) => number | null;
  readonly batchSize?: number;
  /** How many events a prompt is remembered for. */
  readonly reach?: number;
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
  return followStored(database, ledger, new ProfileConsumer(database, ledger, options), options);
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
  readonly #ids: ProfileIds;
  readonly #sessions: SessionStarts;
  #prompts: RecentPrompts;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly options: ProfileOptions,
  ) {
    this.batchSize = options.batchSize ?? BATCH_SIZE;
    this.largestBatch = options.batchSize ?? LARGEST_BATCH;
    this.#ids = new ProfileIds(database.engine);
    this.#sessions = new SessionStarts(database.engine);
    this.#prompts = new RecentPrompts(options.reach);
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
    return {};
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
