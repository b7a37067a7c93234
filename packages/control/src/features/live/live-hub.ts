import { liveCloseCodes } from "@tollgate/core/live/live-channels";
import { seqOfEvent } from "@tollgate/core/live/live-seq";
import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { nextBeat, type Pulse } from "@tollgate/storage/engine/pulse";
import type { Applied, Batch, Consumer } from "@tollgate/storage/following/consumer";
import { Follower } from "@tollgate/storage/following/follower";
import type { LedgerContinuity, LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { MemoryCursor } from "@tollgate/storage/following/memory-cursor";
import { Pause, repeatUntil } from "@tollgate/storage/following/repeat-until";
import {
  isSamePosition,
  LedgerDiverged,
  type LedgerPosition,
} from "@tollgate/storage/ledger/ledger-position";
import {
  fromSequencedRow,
  type LedgerReader,
  type SequencedEvent,
} from "@tollgate/storage/ledger/ledger-reader";
import { type Scope, scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import type { OrganizationContext } from "../../kernel/context.ts";
import type { SealedCursors } from "../../kernel/sealed-cursors.ts";
import { Audience } from "./audience.ts";
import { FairQueue } from "./fair-queue.ts";
import { LiveCursors } from "./live-cursors.ts";
import type { LogMessage } from "./log-page.ts";
import { hasUnnumberedAlerts, newestAlertSeqs, numberAlerts } from "./number-alerts.ts";

interface HubParts {
  readonly db: ControlDb;
  /** Of that database; null: nothing tells when alerts are raised. */
  readonly pulse: Pulse | null;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly cursors: SealedCursors;
  /** Repairs data that was derived from another ledger. */
  readonly continuity?: LedgerContinuity;
  readonly now: () => number;
  readonly log: Log;
}

/** Alerts numbered after a lost event get seq 0, before all positions, so no viewer receives them twice. */
export const liveRepair: LedgerRepair = {
  reader: "live:events",
  async restart(db, _engine, common) {
    await db
      .updateTable("alerts")
      .set({ live_seq: 0 })
      .where("live_seq", ">=", seqOfEvent(common.seq + 1))
      .execute();
    return common;
  },
};

/** Time slice for sending to viewers before yielding the event loop. */
const TURN_MS = 5;
const SEEDINGS_AT_ONCE = 4;
const ALERTS_EVERY_MS = 50;
/** While nobody is watching. */
const REST_MS = 10_000;
/** Between two looks for new alerts while nobody is watching. */
const UNWATCHED_PAUSE_MS = 250;
/** While nobody is watching, and nothing tells when alerts are raised. */
const RESTING_ALERTS_EVERY_MS = 1000;
const REFRESH_EVERY_MS = 1000;

/**
 * Publishes events and alerts in one order. It reads the ledger directly, not the read model, and pauses only for the
 * commit that numbers alerts. Its position is kept in memory, because each viewer names the one it resumes from. A batch
 * is published synchronously, so the position never falls inside one.
 */
export class LiveHub implements Consumer<readonly SequencedEvent[], null> {
  readonly repair = liveRepair;
  readonly batchSize = 250;
  readonly pollMs = 10;
  readonly #audiences = new Map<string, Audience>();
  /** By scope, the seq of its newest alert after the last event. */
  readonly #alertSeqs = new Map<string, number>();
  /** Work for single viewers and new states; it never blocks publishing. */
  readonly #queue = new FairQueue();
  readonly #seedings = new FairQueue(SEEDINGS_AT_ONCE);
  readonly #ready = Promise.withResolvers<void>();
  readonly #cursor = new MemoryCursor(() => this.#begin());
  readonly follower: Follower<readonly SequencedEvent[], null>;
  #hasBegun = false;
  #isPaused = false;
  #adjustments = 0;

  constructor(private readonly parts: HubParts) {
    this.follower = new Follower(parts.ledger, this.#cursor, this, {
      continuity: parts.continuity,
      onFault: fault => this.#logFault(fault),
    });
  }

  /** Resolves once the hub has its position. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get upkeepEveryMs(): number {
    return this.#audiences.size === 0 ? REST_MS : 0;
  }

  /** The audience of a scope, created on first use. */
  audience(scope: Scope, { tier }: OrganizationContext): Audience {
    const name = scopeName(scope);
    const known = this.#audiences.get(name);
    if (known !== undefined) {
      known.tier = tier;
      return known;
    }
    // Events were skipped while nobody watched.
    if (this.#audiences.size === 0 && !this.#isPaused) this.#moveTo(this.parts.ledger.newestPosition());
    const audience = new Audience(
      {
        ...this.parts,
        scope,
        cursors: new LiveCursors(this.parts.cursors, scope, seq => this.#eventUpTo(seq)),
        queue: this.#queue,
        seedings: this.#seedings,
        published: () => Math.max(seqOfEvent(this.#cursor.at.seq), this.#alertSeqs.get(name) ?? 0),
        onFault: fault => this.#logFault(fault),
      },
      tier,
    );
    this.#audiences.set(name, audience);
    // Everything here may be resting.
    this.parts.ledger.pulse.beat();
    return audience;
  }

  changeTier(scope: Scope, { tier }: OrganizationContext): void {
    const audience = this.#audiences.get(scopeName(scope));
    if (audience !== undefined) audience.tier = tier;
  }

  get hasAudiences(): boolean {
    return this.#audiences.size > 0;
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.follower.run(signal),
      this.#repeat(signal, ALERTS_EVERY_MS, () => this.#watchAlerts(signal)),
      this.#repeat(signal, REFRESH_EVERY_MS, async () => {
        await this.rest(signal);
        await this.refresh(false);
      }),
    ]);
  }

  /** While nobody is watching, waits for something to happen. */
  async rest(signal: AbortSignal): Promise<void> {
    const { pulse } = this.parts.ledger;
    if (!this.hasAudiences) await pulse.next(pulse.beats, REST_MS, signal);
  }

  /** Sends every audience what has changed without an event. */
  async refresh(isSettingsChange: boolean): Promise<void> {
    for (const [name, audience] of this.#audiences) {
      if (!audience.isAbandoned) continue;
      audience.drop();
      this.#audiences.delete(name);
    }
    for (const audience of this.#audiences.values()) await audience.refresh(isSettingsChange);
    if (isSettingsChange || !this.#audiences.values().some(audience => audience.hasSums)) return;
    const adjustments = await this.parts.seeds.adjustmentsCursor();
    if (adjustments === this.#adjustments) return;
    this.#adjustments = adjustments;
    for (const audience of this.#audiences.values()) audience.reseed();
  }

  /** While nobody is watching, every event is skipped. */
  hasWork(): boolean {
    if (this.#audiences.size > 0 || this.#isPaused) return true;
    this.#alertSeqs.clear();
    return false;
  }

  limit(): number {
    return this.#isPaused ? 0 : Number.MAX_SAFE_INTEGER;
  }

  read(after: number, upTo: number): SequencedEvent[] {
    return this.parts.ledger
      .rowsBetween(after, upTo)
      .filter(row => this.#audiences.has(scopeName(toScope(row))))
      .map(fromSequencedRow);
  }

  apply({ to, events }: Batch<readonly SequencedEvent[]>): Applied {
    this.#moveTo(to);
    for (const [name, ofAudience] of byAudience(events)) this.#audiences.get(name)?.publishEvents(ofAudience);
    return {};
  }

  /**
   * Serves small audiences first, and at least a slice of each, so that none waits for a large one to finish. Resolves
   * with whether some viewers have not received everything yet.
   */
  async upkeep(): Promise<boolean> {
    const until = performance.now() + TURN_MS;
    const audiences = this.#audiences.values().toArray();
    audiences.sort((a, b) => a.viewers.size - b.viewers.size);
    let hasMore = false;
    for (const audience of audiences) hasMore = audience.advance(until) || hasMore;
    return hasMore;
  }

  /** At startup, and after a repair: positions that viewers hold belong to another ledger, so they must start over. */
  async #begin(): Promise<LedgerPosition> {
    for (const audience of this.#audiences.values()) {
      for (const viewer of audience.viewers)
        viewer.close(liveCloseCodes.tooFarBack, "the ledger was restored");
      audience.drop();
    }
    this.#audiences.clear();
    this.#alertSeqs.clear();
    const newest = this.parts.ledger.newestPosition();
    await this.#findAlerts(newest);
    this.#adjustments = await this.parts.seeds.adjustmentsCursor();
    this.#hasBegun = true;
    this.#ready.resolve();
    return newest;
  }

  #moveTo(position: LedgerPosition): void {
    // Seqs of alerts before the newest event are no longer needed.
    if (!isSamePosition(position, this.#cursor.at)) this.#alertSeqs.clear();
    this.#cursor.moveTo(position);
  }

  async #watchAlerts(signal: AbortSignal): Promise<Pause | undefined> {
    const { ledger, pulse } = this.parts;
    const pulses = pulse === null ? [ledger.pulse] : [ledger.pulse, pulse];
    const seen = pulses.map(one => ({ pulse: one, seen: one.beats }));
    await this.#publishAlerts(signal);
    if (this.hasAudiences) return undefined;
    await nextBeat(seen, pulse === null ? RESTING_ALERTS_EVERY_MS : REST_MS, signal);
    return new Pause(UNWATCHED_PAUSE_MS);
  }

  async #publishAlerts(signal: AbortSignal): Promise<void> {
    const { db } = this.parts;
    if (!this.#hasBegun || !(await hasUnnumberedAlerts(db))) return;
    try {
      const numbered = await numberAlerts(db, () => {
        // Throws if the ledger was replaced: a seq of another ledger could be far ahead of this one.
        const { seq } = this.parts.ledger.readFrom(this.#cursor.at, position => position);
        this.#isPaused = true;
        return seq;
      });
      for (const { row, seq } of numbered) {
        const name = scopeName(toScope(row));
        this.#alertSeqs.set(name, seq);
        const audience = this.#audiences.get(name);
        const messages: LogMessage[] = audience === undefined ? [] : [audience.log.alertMessage(row, seq)];
        audience?.publish(messages);
      }
    } catch (fault) {
      // The follower detects this too, and triggers the repair.
      if (fault instanceof LedgerDiverged) return;
      // If the commit failed, it is unknown whether the alerts were numbered. Viewers are made to reconnect with the
      // position they have seen, and receive exactly what they missed.
      if (this.#isPaused) await this.#resync(signal);
      throw fault;
    } finally {
      this.#isPaused = false;
    }
  }

  /** Stays paused until the stored alert seqs could be read. */
  async #resync(signal: AbortSignal): Promise<void> {
    await this.#repeat(signal, 0, async () => {
      await this.#findAlerts(this.#cursor.at);
      return "done";
    });
    for (const audience of this.#audiences.values()) {
      for (const viewer of audience.viewers) viewer.close(liveCloseCodes.fault, "try again");
    }
  }

  #eventUpTo(seq: number): LedgerPosition {
    const { at } = this.#cursor;
    return seq === at.seq ? at : this.parts.ledger.lastPositionUpTo(seq);
  }

  async #findAlerts({ seq: eventSeq }: LedgerPosition): Promise<void> {
    for (const [name, seq] of await newestAlertSeqs(this.parts.db, seqOfEvent(eventSeq))) {
      this.#alertSeqs.set(name, seq);
    }
  }

  #repeat(signal: AbortSignal, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    return repeatUntil(signal, everyMs, work, fault => this.#logFault(fault));
  }

  #logFault(fault: unknown): void {
    this.parts.log("error", "the live channel had a fault; continuing", describeFault(fault));
  }
}

function byAudience(events: readonly SequencedEvent[]): Map<string, SequencedEvent[]> {
  const audiences = new Map<string, SequencedEvent[]>();
  for (const listed of events) {
    const name = scopeName(toScope(listed.event));
    const known = audiences.get(name);
    if (known === undefined) audiences.set(name, [listed]);
    else known.push(listed);
  }
  return audiences;
}
