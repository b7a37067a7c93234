import { liveCloseCodes } from "@tollgate/core/live/live-channels";
import { seqOfEvent } from "@tollgate/core/live/live-seq";
import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import type { LiveSeeds } from "@tollgate/storage/read-model/live-seeds";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Kysely } from "kysely";
import type { OrganizationContext } from "../context.ts";
import { hasUnnumberedAlerts, newestAlertSeqs, numberAlerts } from "./number-alerts.ts";
import { Room } from "./room.ts";
import type { LogMessage } from "./viewer.ts";

export interface HubParts {
  readonly db: Kysely<ControlSchema>;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly now: () => number;
  readonly log: Log;
}

const POLL_MS = 10;
const BATCH = 500;
/** Events times viewers: as much is sent in one turn, then others have theirs. */
const SENDS_A_TURN = 10_000;
const ALERTS_EVERY_MS = 50;
const LOOK_EVERY_MS = 1000;
/** The longest pause of any loop: as long may a stop have to wait. */
const LOOK_POLL_MS = 200;
const RETRY_AFTER_MS = 1000;

const nameOf = ({ orgId, mode }: Scope): string => `${mode} ${orgId}`;

/**
 * Publishes the ledger and the alerts in one order. It follows the ledger itself, with nothing derived in between;
 * only while alerts are given their place does it stand still, for the length of a commit.
 */
export class LiveHub {
  readonly #rooms = new Map<string, Room>();
  /** Alerts that stand after the last event. */
  readonly #alertSeqs = new Map<string, number>();
  readonly #ready = Promise.withResolvers<void>();
  #at = 0;
  #isStandingStill = false;
  #adjustments = 0;
  #lookedAt = 0;

  constructor(private readonly parts: HubParts) {}

  /** Resolves once the hub knows where it stands. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get rooms(): Iterable<Room> {
    return this.#rooms.values();
  }

  /** The room of a scope; made when there is none. */
  room(scope: Scope, { tier }: OrganizationContext): Room {
    const name = nameOf(scope);
    const known = this.#rooms.get(name);
    if (known !== undefined) {
      known.tier = tier;
      return known;
    }
    // Nobody was watching: what the ledger has got meanwhile was published to nobody.
    if (this.#rooms.size === 0 && !this.#isStandingStill) this.#moveTo(this.parts.ledger.newestSeq());
    const room = new Room(
      {
        ...this.parts,
        scope,
        published: () => Math.max(seqOfEvent(this.#at), this.#alertSeqs.get(name) ?? 0),
        onFault: fault => this.#tell(fault),
      },
      tier,
    );
    this.#rooms.set(name, room);
    return room;
  }

  changeTier(scope: Scope, { tier }: OrganizationContext): void {
    const room = this.#rooms.get(nameOf(scope));
    if (room !== undefined) room.tier = tier;
  }

  removeIfEmpty(scope: Scope): void {
    const room = this.#rooms.get(nameOf(scope));
    if (room !== undefined && room.viewers.size === 0) this.#rooms.delete(nameOf(scope));
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#repeat(signal, 0, async () => {
      this.#at = this.parts.ledger.newestSeq();
      await this.#findAlerts();
      this.#adjustments = await this.parts.seeds.adjustmentsCursor();
      this.#ready.resolve();
      return "done";
    });
    await Promise.all([
      this.#repeat(signal, POLL_MS, () => this.#publishEvents()),
      this.#repeat(signal, ALERTS_EVERY_MS, () => this.#publishAlerts(signal)),
      this.#repeat(signal, LOOK_POLL_MS, () => this.#lookNowAndThen()),
    ]);
  }

  /** Lets every room look at what may have changed without an event. */
  async look(isSettingsChange: boolean): Promise<void> {
    if (this.#rooms.size === 0) return;
    for (const room of this.#rooms.values()) await room.look(isSettingsChange);
    if (isSettingsChange || !this.#rooms.values().some(room => room.hasSums)) return;
    const adjustments = await this.parts.seeds.adjustmentsCursor();
    if (adjustments === this.#adjustments) return;
    this.#adjustments = adjustments;
    for (const room of this.#rooms.values()) room.reseed();
  }

  async #lookNowAndThen(): Promise<void> {
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = performance.now();
    await this.look(false);
  }

  async #publishEvents(): Promise<"at once" | undefined> {
    if (this.#isStandingStill) return undefined;
    const { ledger } = this.parts;
    if (this.#rooms.size === 0) {
      this.#moveTo(ledger.newestSeq());
      return undefined;
    }
    let isMore = false;
    if (ledger.newestSeq() > this.#at) {
      const from = this.#at;
      const viewers = Math.max(1, ...this.#rooms.values().map(room => room.viewers.size));
      const batch = Math.max(1, Math.min(BATCH, Math.floor(SENDS_A_TURN / viewers)));
      const { upTo, events } = ledger.wantedAfter(from, batch, (orgId, mode) =>
        this.#rooms.has(nameOf({ orgId, mode })),
      );
      this.#moveTo(upTo);
      for (const [name, ofRoom] of byRoom(events)) this.#rooms.get(name)?.publishEvents(ofRoom);
      isMore = upTo - from >= batch;
    }
    for (const room of this.#rooms.values()) room.flush();
    return isMore ? "at once" : undefined;
  }

  #moveTo(at: number): void {
    if (at === this.#at) return;
    this.#at = at;
    // An alert's place before the newest event says nothing any more.
    this.#alertSeqs.clear();
  }

  async #publishAlerts(signal: AbortSignal): Promise<void> {
    const { db } = this.parts;
    if (!(await hasUnnumberedAlerts(db))) return;
    try {
      const numbered = await numberAlerts(db, () => {
        this.#isStandingStill = true;
        return this.#at;
      });
      for (const { row, seq } of numbered) {
        const name = nameOf({ orgId: row.org_id, mode: row.mode === "test" ? "test" : "live" });
        this.#alertSeqs.set(name, seq);
        const room = this.#rooms.get(name);
        const messages: LogMessage[] = room === undefined ? [] : [room.log.alertMessage(row, seq)];
        room?.publish(messages);
      }
    } catch (fault) {
      // Whether it was written is not known, if it was the commit that failed. Whoever comes again with the place
      // that they have seen is told exactly what they missed.
      if (this.#isStandingStill) await this.#beginAgain(signal);
      throw fault;
    } finally {
      this.#isStandingStill = false;
    }
  }

  /** Stands still until it is known where the alerts stand. */
  async #beginAgain(signal: AbortSignal): Promise<void> {
    await this.#repeat(signal, 0, async () => {
      await this.#findAlerts();
      return "done";
    });
    for (const room of this.#rooms.values()) {
      for (const viewer of room.viewers) viewer.close(liveCloseCodes.fault, "try again");
    }
  }

  async #findAlerts(): Promise<void> {
    for (const [name, seq] of await newestAlertSeqs(this.parts.db, seqOfEvent(this.#at))) {
      this.#alertSeqs.set(name, seq);
    }
  }

  /** `done` ends it, `at once` goes on without the pause; a fault is told, and tried again later. */
  async #repeat(signal: AbortSignal, pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      try {
        const result = await work();
        if (result === "done") return;
        // Everybody else has a turn in any case.
        await Bun.sleep(result === "at once" ? 0 : pauseMs);
      } catch (fault) {
        this.#tell(fault);
        await Bun.sleep(RETRY_AFTER_MS);
      }
    }
  }

  #tell(fault: unknown): void {
    this.parts.log("error", "the live channel had a fault; going on", describeFault(fault));
  }
}

function byRoom(events: readonly SequencedEvent[]): Map<string, SequencedEvent[]> {
  const rooms = new Map<string, SequencedEvent[]>();
  for (const listed of events) {
    const name = nameOf({ orgId: listed.event.org_id, mode: listed.event.mode });
    const known = rooms.get(name);
    if (known === undefined) rooms.set(name, [listed]);
    else known.push(listed);
  }
  return rooms;
}
