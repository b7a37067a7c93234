import { HOUR_MS } from "../time/durations.ts";
import { startOfHour } from "../time/start-of-day.ts";

const HOURS = 24;
/** Sessions whose last agent is remembered. An evicted session starts over. */
const MAX_SESSIONS = 10_000;

interface Sum {
  count: number;
  costMicrocents: number;
  unpricedCalls: number;
}

interface Hour {
  readonly agents: Map<string, Sum>;
  /** From, then to. */
  readonly steps: Map<string, Map<string, Sum>>;
}

interface TopologyView {
  readonly since: number;
  readonly agents: readonly {
    readonly agentKey: string;
    readonly count: number;
    readonly costMicrocents: number;
    readonly unpricedCalls: number;
  }[];
  readonly steps: readonly {
    readonly from: string;
    readonly to: string;
    readonly count: number;
    readonly costMicrocents: number;
    readonly unpricedCalls: number;
  }[];
}

/**
 * Transitions between agents within a session: from the agent of a call to the agent of the session's next call, in
 * ledger order, with the cost of the latter. Consecutive calls by the same agent are not a transition. Stored by the
 * hour, so that entries older than 24 hours expire.
 */
export class TopologyFold {
  readonly #hours = new Map<number, Hour>();
  readonly #sessions = new Map<string, string>();

  /** The earliest time shown at `now`. */
  static since(nowMs: number): number {
    return startOfHour(nowMs) - (HOURS - 1) * HOUR_MS;
  }

  /** Calls of an agent, in any session. */
  addCalls(
    atMs: number,
    agentKey: string,
    count: number,
    costMicrocents: number,
    unpricedCalls: number,
  ): void {
    addTo(this.#hour(atMs).agents, agentKey, { count, costMicrocents, unpricedCalls });
  }

  /** A session's next call. */
  addStep(
    atMs: number,
    sessionId: string,
    agentKey: string,
    costMicrocents: number,
    unpricedCalls: number,
  ): void {
    const from = this.#sessions.get(sessionId);
    this.#remember(sessionId, agentKey);
    if (from === undefined || from === agentKey) return;
    const { steps } = this.#hour(atMs);
    let ofAgent = steps.get(from);
    if (ofAgent === undefined) {
      ofAgent = new Map();
      steps.set(from, ofAgent);
    }
    addTo(ofAgent, agentKey, { count: 1, costMicrocents, unpricedCalls });
  }

  /** Most calls first. */
  view(nowMs: number): TopologyView {
    const since = TopologyFold.since(nowMs);
    const agents = new Map<string, Sum>();
    const steps = new Map<string, Map<string, Sum>>();
    for (const [start, hour] of this.#hours) {
      if (start < since) {
        this.#hours.delete(start);
        continue;
      }
      for (const [key, sum] of hour.agents) addTo(agents, key, sum);
      for (const [from, ofAgent] of hour.steps) {
        const sums = steps.get(from) ?? new Map<string, Sum>();
        steps.set(from, sums);
        for (const [to, sum] of ofAgent) addTo(sums, to, sum);
      }
    }
    return {
      since,
      agents: [...agents].map(([agentKey, sum]) => ({ agentKey, ...sum })).sort(byCount),
      steps: [...steps]
        .flatMap(([from, sums]) => [...sums].map(([to, sum]) => ({ from, to, ...sum })))
        .sort(byCount),
    };
  }

  #hour(atMs: number): Hour {
    const start = startOfHour(atMs);
    let hour = this.#hours.get(start);
    if (hour === undefined) {
      hour = { agents: new Map(), steps: new Map() };
      this.#hours.set(start, hour);
    }
    return hour;
  }

  #remember(sessionId: string, agentKey: string): void {
    // Reinserting moves it to the end: the first entry is the least recently active.
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, agentKey);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }
}

function addTo(sums: Map<string, Sum>, key: string, more: Readonly<Sum>): void {
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, { ...more });
    return;
  }
  sum.count += more.count;
  sum.costMicrocents += more.costMicrocents;
  sum.unpricedCalls += more.unpricedCalls;
}

function byCount(a: { readonly count: number }, b: { readonly count: number }): number {
  return b.count - a.count;
}
