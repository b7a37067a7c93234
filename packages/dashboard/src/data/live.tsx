import type { LiveMessage, LiveTotals } from "@tollgate/core/contract/live-message";
import type { LiveChannel } from "@tollgate/core/live/live-channels";
import { liveChannels } from "@tollgate/core/live/live-channels";
import { watchLive } from "@tollgate/sdk/live";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { Scope } from "./scope.tsx";
import { useScope } from "./scope.tsx";

export type LiveEvent = Extract<LiveMessage, { channel: "events" }>["data"];
export type LiveAlert = Extract<LiveMessage, { channel: "alerts" }>["data"];
export type LiveAgent = Extract<LiveMessage, { channel: "agents" }>["data"]["agents"][number];
export type LiveTopology = Extract<LiveMessage, { channel: "topology" }>["data"];
type DataOf<Channel extends LiveChannel> = Extract<LiveMessage, { channel: Channel }>["data"];

/** `ended`: the server will refuse to reconnect. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "ended";

/** How long to wait for the agents' names before they are fetched one by one. */
const AGENTS_WAIT_MS = 1000;

/** Events are kept for lists that open after them: statistics, from which a list is read, may be behind. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1000;

/** The live channel of one scope: the connection's state, the latest states, and the listeners. */
class LiveFeed {
  status: LiveStatus = "connecting";
  /** More was missed than the channel resends; counts up. */
  gaps = 0;
  totals: LiveTotals | null = null;
  topology: LiveTopology | null = null;
  agents: ReadonlyMap<string, LiveAgent> = new Map();
  /** The agents have arrived, or have been waited for long enough. */
  areAgentsKnown = false;
  #recent: { readonly event: LiveEvent; readonly atMs: number }[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #handlers = new Map<LiveChannel, Set<(data: never) => void>>();
  #isAnnounced = false;
  #frame = 0;

  open(scope: Scope): () => void {
    const subscription = watchLive({
      baseUrl: location.origin,
      mode: scope.mode,
      ...(scope.organizationId === undefined ? {} : { organizationId: scope.organizationId }),
      channels: liveChannels,
      onMessage: message => this.#take(message),
      onState: state => this.#set(state === "live" ? this.status : "reconnecting"),
      onGap: () => {
        this.gaps++;
        this.#announce();
      },
      onEnd: () => this.#set("ended"),
    });
    const timer = setTimeout(() => {
      this.areAgentsKnown = true;
      this.#announce();
    }, AGENTS_WAIT_MS);
    return () => {
      clearTimeout(timer);
      subscription.close();
      cancelAnimationFrame(this.#frame);
    };
  }

  #set(status: LiveStatus): void {
    if (status === this.status) return;
    this.status = status;
    this.#announce();
  }

  #take(message: LiveMessage): void {
    // Not when it opens: the server may close it at once.
    this.#set("live");
    switch (message.channel) {
      case "events":
        this.#recent.push({ event: message.data, atMs: performance.now() });
        if (this.#recent.length > 2 * MAX_KEPT) this.#recent = this.#recent.slice(-MAX_KEPT);
        break;
      case "totals":
        this.totals = message.data;
        break;
      case "topology":
        this.topology = message.data;
        break;
      case "agents":
        this.areAgentsKnown = true;
        this.agents = new Map([
          ...this.agents,
          ...message.data.agents.map(agent => [agent.id, agent] as const),
        ]);
        break;
      default:
        break;
    }
    for (const handler of this.#handlers.get(message.channel) ?? []) handler(message.data as never);
    this.#announce();
  }

  /** Of the last minute, newest first. */
  recentEvents(): LiveEvent[] {
    const since = performance.now() - KEPT_MS;
    this.#recent = this.#recent.slice(-MAX_KEPT).filter(({ atMs }) => atMs >= since);
    return this.#recent.map(({ event }) => event).reverse();
  }

  /** Once a frame, however many messages arrive. */
  #announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    const tell = () => {
      this.#isAnnounced = false;
      for (const listener of this.#listeners) listener();
    };
    // A hidden page draws no frames.
    if (document.visibilityState === "visible") this.#frame = requestAnimationFrame(tell);
    else setTimeout(tell, 1000);
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  handle<Channel extends LiveChannel>(
    channel: Channel,
    handler: (data: DataOf<Channel>) => void,
  ): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }
}

const FeedContext = createContext<LiveFeed | null>(null);

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const scope = useScope();
  const [feed] = useState(() => new LiveFeed());
  useEffect(() => feed.open(scope), [feed, scope]);
  return <FeedContext value={feed}>{children}</FeedContext>;
}

function useFeed(): LiveFeed {
  const feed = useContext(FeedContext);
  if (feed === null) throw new Error("there is no live channel here");
  return feed;
}

function useFeedState<Value>(read: (feed: LiveFeed) => Value): Value {
  const feed = useFeed();
  return useSyncExternalStore(feed.listen, () => read(feed));
}

export const useLiveStatus = (): LiveStatus => useFeedState(feed => feed.status);
export const useLiveGaps = (): number => useFeedState(feed => feed.gaps);
/** Sums of whole UTC days: today, this month, the last 30 days. null: not known yet. */
export const useLiveTotals = (): LiveTotals | null => useFeedState(feed => feed.totals);
export const useLiveTopology = (): LiveTopology | null => useFeedState(feed => feed.topology);
/** By id: all agents, or the 500 most recent callers. */
export const useLiveAgents = (): ReadonlyMap<string, LiveAgent> => useFeedState(feed => feed.agents);
/** If so, an agent that is missing from `useLiveAgents` has to be fetched. */
export const useAreAgentsKnown = (): boolean => useFeedState(feed => feed.areAgentsKnown);

export const useRecentLiveEvents = (): (() => readonly LiveEvent[]) => {
  const feed = useFeed();
  return () => feed.recentEvents();
};

/** Every message of a channel, as it arrives. */
export function useLiveMessages<Channel extends LiveChannel>(
  channel: Channel,
  handler: (data: DataOf<Channel>) => void,
): void {
  const feed = useFeed();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => feed.handle(channel, data => latest.current(data)), [feed, channel]);
}
