import type { Tier } from "@tollgate/core/limits/tiers";
import { type StateChannel, stateChannels } from "@tollgate/core/live/live-channels";
import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import { agentsState } from "./agents-state.ts";
import type { AudienceAgents } from "./audience-agents.ts";
import type { FairQueue } from "./fair-queue.ts";
import type { LiveState } from "./live-state.ts";
import { StateHolder } from "./state-holder.ts";
import { topologyState } from "./topology-state.ts";
import { totalsState } from "./totals-state.ts";

interface AudienceStatesParts {
  readonly party: string;
  readonly queue: FairQueue;
  /** Runs a few seedings at once, one per scope. */
  readonly seedings: FairQueue;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly agents: AudienceAgents;
  readonly tier: () => Tier;
  readonly now: () => number;
  readonly published: () => number;
  readonly onFault: (fault: unknown) => void;
}

/** The data of a state message, serialized once for all viewers; the position it holds at differs per viewer. */
export interface StateText {
  readonly channel: StateChannel;
  readonly data: string;
}

interface Kept {
  readonly holder: StateHolder;
  unwatchedSince: number | null;
}

/** An unwatched state is kept this long, so that closing and reopening a page costs nothing. */
export const KEPT_MS = 30_000;

/** Work that takes longer, as with very many agents, runs less often, leaving most of the time to others. */
const LONG_MS = 5;
const REST_PER_WORK = 20;

/** The states of one scope that somebody watches, or watched a moment ago. */
export class AudienceStates {
  readonly #kept = new Map<StateChannel, Kept>();
  /** Settings changes are only seen while somebody watches; after a gap the settings are read again. */
  #areSettingsLoaded = true;

  constructor(private readonly parts: AudienceStatesParts) {}

  keep(isWatched: (channel: StateChannel) => boolean): void {
    for (const channel of stateChannels) {
      const kept = this.#kept.get(channel);
      if (!isWatched(channel)) {
        if (kept !== undefined) kept.unwatchedSince ??= performance.now();
      } else if (kept === undefined) {
        this.#kept.set(channel, { holder: this.#hold(channel), unwatchedSince: null });
      } else if (kept.unwatchedSince !== null) {
        kept.unwatchedSince = null;
        if (channel !== "totals" && this.#areSettingsLoaded) void this.#reloadSettings();
      }
    }
  }

  add({ seq, event }: SequencedEvent): void {
    for (const { holder } of this.#kept.values()) holder.add(seq, event);
  }

  /** Called when time has passed or settings have changed. */
  async refresh(isSettingsChange: boolean): Promise<void> {
    for (const [channel, { holder, unwatchedSince }] of this.#kept) {
      if (unwatchedSince === null || performance.now() - unwatchedSince < KEPT_MS) continue;
      holder.drop();
      this.#kept.delete(channel);
    }
    if (isSettingsChange && (this.#kept.has("agents") || this.#kept.has("topology"))) {
      await this.parts.agents.loadSettings();
    }
    for (const { holder } of this.#kept.values()) holder.state?.refresh();
  }

  drop(): void {
    for (const { holder } of this.#kept.values()) holder.drop();
    this.#kept.clear();
  }

  /** Something other than events changed the sums. */
  reseed(): void {
    this.#kept.get("totals")?.holder.reseed();
    this.#kept.get("topology")?.holder.reseed();
  }

  get hasSums(): boolean {
    return this.#kept.has("totals") || this.#kept.has("topology");
  }

  /** What has changed since the last call, for the channels that somebody watches. */
  changes(): StateText[] {
    const at = performance.now();
    const changed: StateText[] = [];
    for (const [channel, { holder, unwatchedSince }] of this.#kept) {
      const { state } = holder;
      if (state === null || unwatchedSince !== null || at < holder.restUntil) continue;
      if (at < holder.nextAt && !state.isUrgent) continue;
      const data = state.changes();
      const tookMs = performance.now() - at;
      if (tookMs > LONG_MS) holder.restUntil = at + tookMs * REST_PER_WORK;
      if (data === null) continue;
      holder.nextAt = at + state.pauseMs;
      changed.push({ channel, data: JSON.stringify(data) });
    }
    return changed;
  }

  /** The snapshot, as the data of one message or several; null: not seeded yet. */
  snapshot(channel: StateChannel): readonly string[] | null {
    const state = this.#kept.get(channel)?.holder.state ?? null;
    if (state === null || (channel !== "totals" && !this.#areSettingsLoaded)) return null;
    return state.snapshot().map(data => JSON.stringify(data));
  }

  async #reloadSettings(): Promise<void> {
    const { agents, queue, party, onFault } = this.parts;
    this.#areSettingsLoaded = false;
    try {
      await queue.run(party, () => agents.loadSettings());
    } catch (fault) {
      onFault(fault);
    }
    this.#areSettingsLoaded = true;
    for (const { holder } of this.#kept.values()) holder.state?.refresh();
  }

  #hold(channel: StateChannel): StateHolder {
    const { ledger, scope, published, onFault, queue, seedings, party } = this.parts;
    return new StateHolder({
      create: () => this.#create(channel),
      publishedUpTo: () => eventAtOrBefore(published()),
      read: (after, upTo, atMost) => ledger.ofScope(scope.orgId, scope.mode, after, upTo, atMost),
      inTurn: {
        seeding: work => seedings.run(party, work),
        piece: work => queue.run(party, work),
      },
      onFault,
    });
  }

  #create(channel: StateChannel): LiveState {
    switch (channel) {
      case "totals":
        return totalsState(this.parts);
      case "agents":
        return agentsState(this.parts);
      case "topology":
        return topologyState(this.parts);
      default:
        return channel satisfies never;
    }
  }
}
