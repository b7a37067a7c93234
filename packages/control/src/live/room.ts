import {
  type LiveChannel,
  liveCloseCodes,
  MAX_MISSED_EVENTS,
  type StateChannel,
  stateChannels,
} from "@tollgate/core/live/live-channels";
import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import type { Tier } from "@tollgate/core/tiers";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import type { LiveSeeds } from "@tollgate/storage/read-model/live-seeds";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Kysely } from "kysely";
import { agentsState } from "./agents-state.ts";
import type { LiveState } from "./live-state.ts";
import { LogReader } from "./log-reader.ts";
import { RecentMessages } from "./recent-messages.ts";
import { RoomAgents } from "./room-agents.ts";
import { StateHolder } from "./state-holder.ts";
import { topologyState } from "./topology-state.ts";
import { totalsState } from "./totals-state.ts";
import type { LogMessage, Viewer } from "./viewer.ts";

export interface RoomParts {
  readonly db: Kysely<ControlSchema>;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly now: () => number;
  /** The place in the channel's order up to which everything of this scope was published. */
  readonly published: () => number;
  readonly onFault: (fault: unknown) => void;
}

const RETRY_AFTER_MS = 1000;

/** Everybody who watches one scope, and what is kept for them. It is gone with the last of them. */
export class Room {
  readonly viewers = new Set<Viewer>();
  readonly log: LogReader;
  tier: Tier;
  readonly #agents: RoomAgents;
  readonly #recent: RecentMessages;
  readonly #states = new Map<StateChannel, StateHolder>();
  /** Those who have to be sent a state whole. */
  readonly #waiting = new Set<Viewer>();

  constructor(
    private readonly parts: RoomParts,
    tier: Tier,
  ) {
    this.tier = tier;
    this.#recent = new RecentMessages(parts.published());
    this.#agents = new RoomAgents(parts.db, parts.ledger, parts.scope);
    this.log = new LogReader({ ...parts, agents: this.#agents, tier: () => this.tier });
  }

  enter(viewer: Viewer): void {
    this.viewers.add(viewer);
    viewer.position = this.parts.published();
  }

  leave(viewer: Viewer): void {
    this.viewers.delete(viewer);
    this.#waiting.delete(viewer);
    this.#keepStates();
  }

  /** Replaces what the viewer watches. Without `since` it goes on from where it stands. */
  subscribe(viewer: Viewer, channels: readonly LiveChannel[], since: number | undefined): void {
    const published = this.parts.published();
    if (since !== undefined && eventAtOrBefore(since) > eventAtOrBefore(published)) {
      // A place that does not exist is one of another ledger.
      viewer.close(liveCloseCodes.tooFarBack, "since is not a place of this ledger");
      return;
    }
    viewer.generation++;
    viewer.channels.clear();
    for (const channel of channels) viewer.channels.add(channel);
    viewer.stale.clear();
    for (const channel of stateChannels) if (viewer.channels.has(channel)) viewer.stale.add(channel);
    this.#keepStates();
    if (viewer.stale.size > 0) this.#waiting.add(viewer);
    if (!viewer.watchesLogs) {
      viewer.isCurrent = true;
    } else if (since !== undefined) {
      viewer.position = since;
      viewer.isCurrent = false;
      void this.#resume(viewer);
    } else if (!viewer.isCurrent) {
      void this.readOn(viewer);
    }
  }

  unsubscribe(viewer: Viewer, channels: readonly LiveChannel[]): void {
    for (const channel of channels) {
      viewer.channels.delete(channel);
      for (const state of stateChannels) if (state === channel) viewer.stale.delete(state);
    }
    if (!viewer.watchesLogs) viewer.isCurrent = true;
    this.#keepStates();
  }

  /** New events of this scope, in the order of the ledger. */
  publishEvents(events: readonly SequencedEvent[]): void {
    const messages = events.flatMap(event => this.log.eventMessage(event) ?? []);
    for (const { seq, event } of events) for (const holder of this.#states.values()) holder.add(seq, event);
    this.publish(messages);
  }

  publish(messages: readonly LogMessage[]): void {
    this.#recent.add(messages);
    for (const viewer of this.viewers) viewer.offer(messages);
  }

  /** Sends the states that changed; whole, to whoever needs them whole. */
  flush(): void {
    const at = performance.now();
    for (const [channel, holder] of this.#states) {
      const { state } = holder;
      if (state === null || (at < holder.nextAt && !state.isUrgent)) continue;
      const data = state.changes();
      if (data === null) continue;
      holder.nextAt = at + state.pauseMs;
      const text = this.#text(channel, data);
      for (const viewer of this.viewers) this.#sendState(viewer, channel, text);
    }
    if (this.#waiting.size > 0) this.#sendWhole();
  }

  /** Time has gone on, or people have changed something. */
  async look(isSettingsChange: boolean): Promise<void> {
    for (const viewer of this.viewers) {
      viewer.closeIfStuck();
      // A drain that was not told of must not leave anybody waiting.
      if (!viewer.isCurrent && !viewer.isReading) void this.readOn(viewer);
    }
    if (isSettingsChange && (this.#states.has("agents") || this.#states.has("topology"))) {
      await this.#agents.loadSaid();
    }
    for (const { state } of this.#states.values()) state?.look();
  }

  /** Sums were changed by something else than events. */
  reseed(): void {
    this.#states.get("totals")?.reseed();
    this.#states.get("topology")?.reseed();
  }

  get hasSums(): boolean {
    return this.#states.has("totals") || this.#states.has("topology");
  }

  async #resume(viewer: Viewer): Promise<void> {
    const { generation, position } = viewer;
    const { published, onFault } = this.parts;
    viewer.behindBy = 0;
    if (viewer.channels.has("events")) {
      try {
        const missed = await this.log.countMissed(position, eventAtOrBefore(published()), MAX_MISSED_EVENTS);
        if (generation !== viewer.generation) return;
        if (missed > MAX_MISSED_EVENTS) {
          viewer.close(liveCloseCodes.tooFarBack, "too far back: read the web API, and subscribe anew");
          return;
        }
        viewer.behindBy = missed;
      } catch (fault) {
        onFault(fault);
        viewer.close(liveCloseCodes.fault, "try again");
        return;
      }
    }
    await this.readOn(viewer);
  }

  /** Sends a viewer that is behind what it missed, as fast as it reads, until it has caught up. */
  async readOn(viewer: Viewer): Promise<void> {
    if (viewer.isReading) return;
    viewer.isReading = true;
    try {
      while (viewer.isOpen && !viewer.isCurrent && !viewer.isFull) await this.#readPage(viewer);
    } catch (fault) {
      this.parts.onFault(fault);
      // What was missed waits; `look` comes back to it.
      await Bun.sleep(RETRY_AFTER_MS);
    } finally {
      viewer.isReading = false;
    }
  }

  async #readPage(viewer: Viewer): Promise<void> {
    const { generation } = viewer;
    const published = this.parts.published();
    if (viewer.position >= published) {
      viewer.isCurrent = true;
      viewer.behindBy = 0;
      return;
    }
    const wants = { events: viewer.channels.has("events"), alerts: viewer.channels.has("alerts") };
    const { messages, upTo } =
      this.#recent.after(viewer.position, published) ??
      (await this.log.page(viewer.position, published, wants));
    if (generation !== viewer.generation || !viewer.isOpen) return;
    viewer.sendTogether(() => {
      for (const { channel, seq, text } of messages) {
        if (viewer.isFull) return;
        if (viewer.channels.has(channel)) viewer.send(text);
        viewer.position = seq;
        if (channel === "events") viewer.behindBy = Math.max(0, viewer.behindBy - 1);
      }
      viewer.position = upTo;
    });
    // Everybody else has a turn between two pages.
    await new Promise(resolve => setImmediate(resolve));
  }

  #sendState(viewer: Viewer, channel: StateChannel, text: string): void {
    // Whoever waits for the whole is sent no change of it.
    if (!viewer.channels.has(channel) || viewer.stale.has(channel)) return;
    if (viewer.isCurrent && !viewer.isFull) {
      viewer.send(text);
      return;
    }
    viewer.stale.add(channel);
    this.#waiting.add(viewer);
  }

  /** A state says how things stand after the logs that were sent: whoever is behind gets it when they have caught up. */
  #sendWhole(): void {
    const texts = new Map<StateChannel, readonly string[]>();
    for (const viewer of this.#waiting) {
      if (!viewer.isCurrent || viewer.isFull) continue;
      for (const channel of viewer.stale) {
        const state = this.#states.get(channel)?.state;
        if (!state) continue;
        let whole = texts.get(channel);
        if (whole === undefined) {
          whole = state.snapshot().map(data => this.#text(channel, data));
          texts.set(channel, whole);
        }
        viewer.stale.delete(channel);
        for (const text of whole) viewer.send(text);
      }
      if (viewer.stale.size === 0) this.#waiting.delete(viewer);
    }
  }

  #text(channel: StateChannel, data: unknown): string {
    return JSON.stringify({ channel, seq: this.parts.published(), data });
  }

  /** A state that somebody watches is there, one that nobody watches is not. */
  #keepStates(): void {
    for (const channel of stateChannels) {
      const isWatched = this.viewers.values().some(viewer => viewer.channels.has(channel));
      const holder = this.#states.get(channel);
      if (isWatched && holder === undefined) this.#states.set(channel, this.#hold(channel));
      if (!isWatched && holder !== undefined) {
        holder.drop();
        this.#states.delete(channel);
      }
    }
  }

  #hold(channel: StateChannel): StateHolder {
    const { ledger, scope, published, onFault } = this.parts;
    return new StateHolder({
      create: () => this.#create(channel),
      publishedUpTo: () => eventAtOrBefore(published()),
      read: (after, upTo, atMost) => ledger.ofScope(scope.orgId, scope.mode, after, upTo, atMost),
      onFault,
    });
  }

  #create(channel: StateChannel): LiveState {
    const parts = { ...this.parts, agents: this.#agents, tier: () => this.tier };
    switch (channel) {
      case "totals":
        return totalsState(parts);
      case "agents":
        return agentsState(parts);
      case "topology":
        return topologyState(parts);
      default:
        return channel satisfies never;
    }
  }
}
