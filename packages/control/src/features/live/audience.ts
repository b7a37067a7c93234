import type { SubscribedMessage } from "@tollgate/core/contract/live-message";
import type { Tier } from "@tollgate/core/limits/tiers";
import {
  type LiveChannel,
  liveCloseCodes,
  type StateChannel,
  stateChannels,
} from "@tollgate/core/live/live-channels";
import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import { AudienceAgents } from "./audience-agents.ts";
import { AudienceStates, KEPT_MS, type StateText } from "./audience-states.ts";
import { CatchUp } from "./catch-up.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { LiveCursors } from "./live-cursors.ts";
import type { LogMessage } from "./log-page.ts";
import { LogReader } from "./log-reader.ts";
import { RecentMessages } from "./recent-messages.ts";
import type { Viewer } from "./viewer.ts";

interface AudienceParts {
  readonly db: ControlDb;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly now: () => number;
  readonly cursors: LiveCursors;
  /** Queue for work done for a single viewer, or for the first viewer of a state. */
  readonly queue: FairQueue;
  readonly seedings: FairQueue;
  /** The position in the channel's order up to which everything of this scope was published. */
  readonly published: () => number;
  readonly onFault: (fault: unknown) => void;
}

/** One pass over all viewers with what is new; a large audience takes several turns. */
interface Round {
  readonly states: readonly StateText[];
  readonly rest: Iterator<Viewer>;
}

/** Minimum viewers served per slice, so a small audience always finishes in one. */
const VIEWERS_PER_SLICE = 5;

/** All viewers of one scope and the state kept for them. It is dropped a while after the last viewer leaves. */
export class Audience {
  readonly viewers = new Set<Viewer>();
  readonly log: LogReader;
  tier: Tier;
  readonly #states: AudienceStates;
  readonly #catchUp: CatchUp;
  #recent: RecentMessages;
  /** Number of events published. */
  #events = 0;
  #hasNews = false;
  #round: Round | null = null;
  #emptySince = performance.now();
  /** Viewers that have yet to receive a snapshot of a state. */
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
    // Nothing was buffered while there were no viewers.
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

  /** There have been no viewers for `KEPT_MS`. */
  get isAbandoned(): boolean {
    return this.viewers.size === 0 && performance.now() - this.#emptySince >= KEPT_MS;
  }

  drop(): void {
    this.#states.drop();
  }

  /** Replaces the viewer's subscription. Without `since` it continues at its position; `ack` reports that position. */
  subscribe(
    viewer: Viewer,
    channels: readonly LiveChannel[],
    {
      since: cursor,
      ack = false,
    }: { readonly since?: string | number | undefined; readonly ack?: boolean | undefined },
  ): void {
    const since = cursor === undefined ? undefined : this.parts.cursors.open(cursor);
    if (since === null || (since !== undefined && !this.#isPublished(eventAtOrBefore(since)))) {
      viewer.close(liveCloseCodes.tooFarBack, "since is not a position of this ledger");
      return;
    }
    // Whatever was published before belongs to the previous subscription.
    this.#sendLogs(viewer);
    viewer.generation++;
    viewer.channels.clear();
    for (const channel of channels) viewer.channels.add(channel);
    viewer.stale.clear();
    for (const channel of stateChannels) if (viewer.channels.has(channel)) viewer.stale.add(channel);
    this.#keepStates();
    if (viewer.stale.size > 0) this.#waiting.add(viewer);
    if (since !== undefined) viewer.position = since;
    // Sent before anything else, so that a viewer that receives nothing more still knows where to resume.
    if (ack) this.#acknowledge(viewer);
    if (!viewer.watchesLogs) this.#moveToEnd(viewer);
    else if (since !== undefined || !viewer.isCurrent) this.#catchUp.begin(viewer);
  }

  #isPublished(eventSeq: number): boolean {
    return eventSeq <= eventAtOrBefore(this.parts.published());
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

  /** New events of this scope, in ledger order. */
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

  /** Sends what is new to at least one slice of the viewers. false: everything was sent. */
  advance(until: number): boolean {
    this.#round ??= this.#newRound();
    if (this.#round !== null) {
      const { states, rest } = this.#round;
      for (let served = 0, next = rest.next(); !next.done; next = rest.next()) {
        this.#visit(next.value, states);
        if (++served >= VIEWERS_PER_SLICE && performance.now() >= until) return true;
      }
      this.#round = null;
    }
    // Only between rounds: a snapshot must not be followed by a change that is older than it.
    return this.#sendSnapshots(until) || this.#hasNews;
  }

  async refresh(isSettingsChange: boolean): Promise<void> {
    for (const viewer of this.viewers) {
      viewer.closeIfStuck();
      viewer.closeIfBehind(this.#events);
      this.readOn(viewer);
    }
    await this.#states.refresh(isSettingsChange);
  }

  /** Continues a viewer that was behind. */
  readOn(viewer: Viewer): void {
    if (!viewer.isCurrent) void this.#catchUp.resume(viewer);
  }

  /** Something other than events changed the sums. */
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
    // A viewer that enters or leaves during the round may or may not be part of it.
    return { states, rest: this.viewers.values() };
  }

  #visit(viewer: Viewer, states: readonly StateText[]): void {
    viewer.sendTogether(() => {
      this.#sendLogs(viewer);
      for (const { channel, data } of states) this.#sendState(viewer, channel, data);
    });
    viewer.closeIfBehind(this.#events);
  }

  #sendLogs(viewer: Viewer): void {
    if (!viewer.isCurrent) return;
    const published = this.parts.published();
    while (viewer.watchesLogs && viewer.isOpen && viewer.position < published) {
      const page = this.#recent.after(viewer.position, published);
      // Its turn came so late that the messages it needs are no longer in memory.
      if (page === null) viewer.isCurrent = false;
      else viewer.sendLogs(page);
      if (!viewer.isCurrent) {
        this.readOn(viewer);
        return;
      }
    }
    this.#moveToEnd(viewer);
  }

  /** The viewer has everything that was published. */
  #moveToEnd(viewer: Viewer): void {
    viewer.isCurrent = true;
    viewer.counting = null;
    viewer.position = this.parts.published();
    viewer.eventsSent = this.#events;
  }

  #sendState(viewer: Viewer, channel: StateChannel, data: string): void {
    // A viewer that waits for a snapshot is not sent changes to it.
    if (!viewer.channels.has(channel) || viewer.stale.has(channel)) return;
    if (viewer.isCurrent && !viewer.isFull) {
      viewer.send(this.#stateText(viewer, channel, data));
      return;
    }
    viewer.stale.add(channel);
    this.#waiting.add(viewer);
  }

  /**
   * A state describes the moment after the logs already sent, so a viewer that is behind gets its snapshot once it
   * has caught up. true: more viewers could be served.
   */
  #sendSnapshots(until: number): boolean {
    const texts = new Map<StateChannel, readonly string[] | null>();
    let served = 0;
    for (const viewer of this.#waiting) {
      this.#sendLogs(viewer);
      if (!viewer.isCurrent || viewer.isFull) continue;
      for (const channel of viewer.stale) {
        let whole = texts.get(channel);
        if (whole === undefined) {
          whole = this.#states.snapshot(channel);
          texts.set(channel, whole);
        }
        if (whole === null) continue;
        viewer.stale.delete(channel);
        for (const data of whole) viewer.send(this.#stateText(viewer, channel, data));
      }
      if (viewer.stale.size > 0) continue;
      this.#waiting.delete(viewer);
      if (++served >= VIEWERS_PER_SLICE && performance.now() >= until) return true;
    }
    return false;
  }

  /** A viewer that is sent a state has all logs up to `position`, so resuming from this `seq` misses nothing. */
  #stateText({ position }: Viewer, channel: StateChannel, data: string): string {
    return `{"channel":"${channel}","seq":"${this.parts.cursors.seal(position)}","data":${data}}`;
  }

  #keepStates(): void {
    this.#states.keep(channel => this.viewers.values().some(viewer => viewer.channels.has(channel)));
  }
}
