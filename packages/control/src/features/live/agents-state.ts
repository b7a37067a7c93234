import { agentStatus } from "@tollgate/core/agents/status";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { LiveAgent } from "@tollgate/core/contract/live-message";
import { isVerification } from "@tollgate/core/event";
import { RECENT_STEP_MS, RecentCalls } from "@tollgate/core/live/recent-calls";
import { HOUR_MS } from "@tollgate/core/time/durations";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import type { AudienceAgents } from "./audience-agents.ts";
import type { LiveState } from "./live-state.ts";

interface AgentsParts {
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly agents: AudienceAgents;
  readonly now: () => number;
}

interface Activity {
  lastCallAt: number | null;
  readonly recent: RecentCalls;
  /** What viewers were last sent, without the time of the last call, which alone is not worth a message. */
  sent: string | null;
  /** It existed before anybody watched, so viewers are not told that it is new. */
  readonly isSeeded: boolean;
}

/** Bounds a message however many agents there are; the first message has the most recent callers. */
const AGENTS_PER_MESSAGE = 500;
/** Agents examined per turn; the rest follow in later turns. */
const CHECKED_PER_TURN = 1000;

export function agentsState({ seeds, scope, agents, now }: AgentsParts): LiveState {
  const activities = new Map<string, Activity>();
  const dirty = new Set<string>();

  let unchecked: Iterator<string> = activities.keys();

  function activityOf(agentKey: string, isSeeded = false): Activity {
    const known = activities.get(agentKey);
    if (known !== undefined) return known;
    const made: Activity = { lastCallAt: null, recent: new RecentCalls(), sent: null, isSeeded };
    activities.set(agentKey, made);
    return made;
  }

  function shown(agentKey: string, activity: Activity, at: number): LiveAgent | null {
    const agent = agents.get(agentKey);
    if (agent === null) return null;
    const { calls, errors } = activity.recent.within(at);
    return {
      id: agent.id,
      agent_key: agentKey,
      name: agent.name,
      status: agentStatus(
        {
          isArchived: agent.isArchived,
          lastCallAt: activity.lastCallAt,
          recentCalls: calls,
          recentErrors: errors,
        },
        at,
      ),
      is_paused: agent.isPaused,
      last_call_at: activity.lastCallAt === null ? null : toIsoTime(activity.lastCallAt),
    };
  }

  return {
    pauseMs: 0,
    isUrgent: false,
    async seed(piece) {
      await piece(() => agents.load());
      const { seq, rows, recent } = await piece(() =>
        seeds.agents(scope, now() - HOUR_MS + 1, RECENT_STEP_MS),
      );
      for (const key of agents.keys()) activityOf(key, true);
      for (const { agent_key, last_call_at } of rows) activityOf(agent_key, true).lastCallAt = last_call_at;
      for (const { agent_key, at, calls, errors } of recent)
        activityOf(agent_key).recent.add(at, calls, errors);
      return seq;
    },
    add(event) {
      if (isVerification(event.source)) return;
      const key = storableName(event.agent_key);
      const activity = activityOf(key);
      activity.lastCallAt = Math.max(activity.lastCallAt ?? 0, event.created_at);
      activity.recent.add(event.created_at, 1, isError(event.status) ? 1 : 0);
      dirty.add(key);
    },
    refresh() {
      for (let checked = 0; checked < CHECKED_PER_TURN; checked++) {
        const { done, value } = unchecked.next();
        if (done) {
          unchecked = activities.keys();
          return;
        }
        dirty.add(value);
      }
    },
    changes() {
      const changed: LiveAgent[] = [];
      const at = now();
      let checked = 0;
      for (const key of dirty) {
        if (changed.length === AGENTS_PER_MESSAGE || checked++ === CHECKED_PER_TURN) break;
        dirty.delete(key);
        const activity = activityOf(key);
        const agent = shown(key, activity, at);
        if (agent === null) continue;
        const summary = summaryOf(agent);
        const isNews = summary !== activity.sent && !(activity.sent === null && activity.isSeeded);
        activity.sent = summary;
        if (isNews) changed.push(agent);
      }
      return changed.length === 0 ? null : { agents: changed };
    },
    snapshot() {
      const at = now();
      const all: LiveAgent[] = [];
      for (const [key, activity] of latest(activities)) {
        const agent = shown(key, activity, at);
        if (agent === null) continue;
        // Other viewers have not received the change yet.
        if (activity.sent === null) activity.sent = summaryOf(agent);
        else if (activity.sent !== summaryOf(agent)) dirty.add(key);
        all.push(agent);
      }
      return [{ agents: all }];
    },
  };
}

/** The most recent callers, if not all fit into a message. */
function latest(activities: ReadonlyMap<string, Activity>): Iterable<readonly [string, Activity]> {
  if (activities.size <= AGENTS_PER_MESSAGE) return activities;
  return [...activities]
    .sort(([, a], [, b]) => (b.lastCallAt ?? 0) - (a.lastCallAt ?? 0))
    .slice(0, AGENTS_PER_MESSAGE);
}

function summaryOf({ name, status, is_paused }: LiveAgent): string {
  return JSON.stringify([name, status, is_paused]);
}
