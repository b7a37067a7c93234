import type { Tier } from "@tollgate/core/limits/tiers";
import {
  type LiveChannel,
  liveCloseCodes,
  type StateChannel,
  stateChannels,
} from "@tollgate/core/live/live-channels";
import type { SubscribedMessage } from "@tollgate/core/live/live-message";
import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import type { LiveSeeds } from "@tollgate/storage/read-model/live-seeds";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Kysely } from "kysely";
import { AudienceAgents } from "./audience-agents.ts";
import { AudienceStates, KEPT_MS, type StateText } from "./audience-states.ts";
import { CatchUp } from "./catch-up.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { LiveCursors } from "./live-cursors.ts";
import type { LogMessage } from "./log-page.ts";
import { LogReader } from "./log-reader.ts";
import { RecentMessages } from "./recent-messages.ts";
import type { Viewer } from "./viewer.ts";

export interface AudienceParts {
  readonly db: Kysely<ControlSchema>;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly now: () => number;
  readonly cursors: LiveCursors;
  /** Where work waits that is done for one viewer, or for the first one of a state. */
  readonly queue: FairQueue;
  readonly seedings: FairQueue;
  /** The place in the channel's order up to which everything of this scope was published. */
  readonly published: () => number;
  /** Whether events of two ledgers had this number: a viewer may have seen either. */
  readonly isAmbiguous: (eventSeq: number) => boolean;
  readonly onFault: (fault: unknown) => void;
}

/** Everybody is told what is new in one round; a large one takes several turns. */
interface Round {
  readonly states: readonly StateText[];
  readonly rest: Iterator<Viewer>;
}

/** As many are told in any case: a room that small has its round in one turn. */
const VIEWERS_A_SLICE = 5;

/** Everybody who watches one scope, and what is kept for them. It is gone a while after the last of them. */
export class Audience {
  readonly viewers = new Set<Viewer>();
  readonly log: LogReader;
  tier: Tier;
  readonly #states: AudienceStates;
  readonly #catchUp: CatchUp;
  #recent: RecentMessages;
  /** Events that were published. */
  #events = 0;
  #hasNews = false;
  #round: Round | null = null;
  #emptySince = performance.now();
  /** Those who have to be sent a state whole. */
  readonly #waiting = new Set<Viewer>();

  constructor(
    private readonly parts: AudienceParts,
    tier: Tier,
  ) {
    const { db, ledger, scope, published } = parts;
    this.tier = tier;
    this.#recent = new RecentMessages(published());
    const agents = new AudienceAgents(db, ledger, scope);
    const shared = { ...parts, agents, party: scopeName(scope), tier: () => this.tier };
    this.log = new LogReader(shared);
    this.#states = new AudienceStates(shared);
    this.#catchUp = new CatchUp({
      ...shared,
      log: this.log,
      countOf: (after, upTo) => ledger.countOfScope(scope.orgId, scope.mode, after, upTo),
      recent: () => this.#recent,
      eventsPublished: () => this.#events,
    });
  }

  enter(viewer: Viewer): void {
    // Nothing was written while there was nobody to read it.
    if (this.viewers.size === 0) this.#recent = new RecentMessages(this.parts.published());
    this.viewers.add(viewer);
    this.#moveToEnd(viewer);
  }

  leave(viewer: Viewer): void {
    this.viewers.delete(viewer);
    this.#waiting.delete(viewer);
    this.#keepStates();
    if (this.viewers.size === 0) this.#emptySince = performance.now();
  }

  /** Nobody has been here for a while. */
  get isAbandoned(): boolean {
    return this.viewers.size === 0 && performance.now() - this.#emptySince >= KEPT_MS;
  }

  drop(): void {
    this.#states.drop();
  }

  /** Replaces what the viewer watches. Without `since` it goes on from where it stands; `ack` tells where that is. */
  subscribe(
    viewer: Viewer,
    channels: readonly LiveChannel[],
    {
      since: word,
      ack = false,
    }: { readonly since?: string | number | undefined; readonly ack?: boolean | undefined },
  ): void {
    const since = word === undefined ? undefined : this.parts.cursors.open(word);
    if (since === null || (since !== undefined && !this.#isPlace(eventAtOrBefore(since)))) {
      viewer.close(liveCloseCodes.tooFarBack, "since is not a place of this ledger");
      return;
    }
    // What was published before is of the older subscription.
    this.#tellLogs(viewer);
    viewer.generation++;
    viewer.channels.clear();
    for (const channel of channels) viewer.channels.add(channel);
    viewer.stale.clear();
    for (const channel of stateChannels) if (viewer.channels.has(channel)) viewer.stale.add(channel);
    this.#keepStates();
    if (viewer.stale.size > 0) this.#waiting.add(viewer);
    if (since !== undefined) viewer.position = since;
    // Before anything of the subscription: whoever has only this knows from where to come back.
    if (ack) this.#acknowledge(viewer);
    if (!viewer.watchesLogs) this.#moveToEnd(viewer);
    else if (since !== undefined || !viewer.isCurrent) this.#catchUp.begin(viewer);
  }

  /** A place that does not exist is one of another ledger; one that was lost may be. */
  #isPlace(eventSeq: number): boolean {
    return eventSeq <= eventAtOrBefore(this.parts.published()) && !this.parts.isAmbiguous(eventSeq);
  }

  #acknowledge(viewer: Viewer): void {
    const seq = this.parts.cursors.seal(viewer.position);
    const answer: SubscribedMessage = { subscribed: [...viewer.channels], seq };
    viewer.send(JSON.stringify(answer));
  }

  unsubscribe(viewer: Viewer, channels: readonly LiveChannel[]): void {
    for (const channel of channels) {
      viewer.channels.delete(channel);
      for (const state of stateChannels) if (state === channel) viewer.stale.delete(state);
    }
    if (!viewer.watchesLogs) this.#moveToEnd(viewer);
    this.#keepStates();
  }

  /** New events of this scope, in the order of the ledger. */
  publishEvents(events: readonly SequencedEvent[]): void {
    for (const event of events) this.#states.add(event);
    if (this.viewers.size > 0) this.publish(events.flatMap(event => this.log.eventMessage(event) ?? []));
  }

  publish(messages: readonly LogMessage[]): void {
    if (this.viewers.size === 0) return;
    this.#recent.add(messages);
    for (const { channel } of messages) if (channel === "events") this.#events++;
    this.#hasNews = true;
  }

  /** Tells everybody what is new, a slice of them at least. false: that was all. */
  advance(until: number): boolean {
    this.#round ??= this.#newRound();
    if (this.#round !== null) {
      const { states, rest } = this.#round;
      for (let told = 0, next = rest.next(); !next.done; next = rest.next()) {
        this.#visit(next.value, states);
        if (++told >= VIEWERS_A_SLICE && performance.now() >= until) return true;
      }
      this.#round = null;
    }
    // Between two rounds: a state that was told whole is not followed by an older change of it.
    return this.#sendWhole(until) || this.#hasNews;
  }

  async look(isSettingsChange: boolean): Promise<void> {
    for (const viewer of this.viewers) {
      viewer.closeIfStuck();
      viewer.closeIfBehind(this.#events);
      this.readOn(viewer);
    }
    await this.#states.look(isSettingsChange);
  }

  /** A viewer that was behind reads again. */
  readOn(viewer: Viewer): void {
    if (!viewer.isCurrent) void this.#catchUp.goOn(viewer);
  }

  /** Sums were changed by something else than events. */
  reseed(): void {
    this.#states.reseed();
  }

  get hasSums(): boolean {
    return this.#states.hasSums;
  }

  #newRound(): Round | null {
    if (this.viewers.size === 0) return null;
    const states = this.#states.changes();
    if (!this.#hasNews && states.length === 0) return null;
    this.#hasNews = false;
    // Whoever comes or goes meanwhile is in it, or not.
    return { states, rest: this.viewers.values() };
  }

  #visit(viewer: Viewer, states: readonly StateText[]): void {
    viewer.sendTogether(() => {
      this.#tellLogs(viewer);
      for (const { channel, data } of states) this.#sendState(viewer, channel, data);
    });
    viewer.closeIfBehind(this.#events);
  }

  #tellLogs(viewer: Viewer): void {
    if (!viewer.isCurrent) return;
    const published = this.parts.published();
    while (viewer.watchesLogs && viewer.isOpen && viewer.position < published) {
      const page = this.#recent.after(viewer.position, published);
      // Its turn came so late that what it has to be told is not kept any more.
      if (page === null) viewer.isCurrent = false;
      else viewer.tell(page);
      if (!viewer.isCurrent) {
        this.readOn(viewer);
        return;
      }
    }
    this.#moveToEnd(viewer);
  }

  /** Nothing that was published is missing to it. */
  #moveToEnd(viewer: Viewer): void {
    viewer.isCurrent = true;
    viewer.counting = null;
    viewer.position = this.parts.published();
    viewer.eventsTold = this.#events;
  }

  #sendState(viewer: Viewer, channel: StateChannel, data: string): void {
    // Whoever waits for the whole is sent no change of it.
    if (!viewer.channels.has(channel) || viewer.stale.has(channel)) return;
    if (viewer.isCurrent && !viewer.isFull) {
      viewer.send(this.#stateText(viewer, channel, data));
      return;
    }
    viewer.stale.add(channel);
    this.#waiting.add(viewer);
  }

  /**
   * A state says how things stand after the logs that were sent: whoever is behind gets it when they have caught up.
   * true: there are more who could be told.
   */
  #sendWhole(until: number): boolean {
    const texts = new Map<StateChannel, readonly string[] | null>();
    let told = 0;
    for (const viewer of this.#waiting) {
      this.#tellLogs(viewer);
      if (!viewer.isCurrent || viewer.isFull) continue;
      for (const channel of viewer.stale) {
        let whole = texts.get(channel);
        if (whole === undefined) {
          whole = this.#states.whole(channel);
          texts.set(channel, whole);
        }
        if (whole === null) continue;
        viewer.stale.delete(channel);
        for (const data of whole) viewer.send(this.#stateText(viewer, channel, data));
      }
      if (viewer.stale.size > 0) continue;
      this.#waiting.delete(viewer);
      if (++told >= VIEWERS_A_SLICE && performance.now() >= until) return true;
    }
    return false;
  }

  /** A viewer that is sent a state has been told all logs: whoever comes back with its place misses nothing. */
  #stateText({ position }: Viewer, channel: StateChannel, data: string): string {
    return `{"channel":"${channel}","seq":"${this.parts.cursors.seal(position)}","data":${data}}`;
  }

  #keepStates(): void {
    this.#states.keep(channel => this.viewers.values().some(viewer => viewer.channels.has(channel)));
  }
}
