import { agentStatus } from "@tollgate/core/agent-status";
import { toIsoTime } from "@tollgate/core/contract/iso-time";
import type { LiveAgent } from "@tollgate/core/live/live-message";
import { RECENT_STEP_MS, RecentCalls } from "@tollgate/core/live/recent-calls";
import type { LiveSeeds } from "@tollgate/storage/read-model/live-seeds";
import type { Scope } from "@tollgate/storage/read-model/queries";
import { isError } from "@tollgate/storage/read-model/status-codes";
import { storableName } from "@tollgate/storage/read-model/storable-name";
import type { LiveState } from "./live-state.ts";
import type { RoomAgents } from "./room-agents.ts";

export interface AgentsParts {
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly agents: RoomAgents;
  readonly now: () => number;
}

interface Activity {
  lastCallAt: number | null;
  readonly recent: RecentCalls;
  /** What was last told of it, without the time of its last call: that alone is no news. */
  told: string | null;
}

const HOUR_MS = 3_600_000;
/** A message stays small, however many agents there are. */
const AGENTS_A_MESSAGE = 500;

export function agentsState({ seeds, scope, agents, now }: AgentsParts): LiveState {
  const activities = new Map<string, Activity>();
  const dirty = new Set<string>();

  function activityOf(agentKey: string): Activity {
    const known = activities.get(agentKey);
    if (known !== undefined) return known;
    const made: Activity = { lastCallAt: null, recent: new RecentCalls(), told: null };
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
      for (const key of agents.keys()) activityOf(key);
      for (const { agent_key, last_call_at } of rows) activityOf(agent_key).lastCallAt = last_call_at;
      for (const { agent_key, at, calls, errors } of recent)
        activityOf(agent_key).recent.add(at, calls, errors);
      return seq;
    },
    add(event) {
      const key = storableName(event.agent_key);
      const activity = activityOf(key);
      activity.lastCallAt = Math.max(activity.lastCallAt ?? 0, event.created_at);
      activity.recent.add(event.created_at, 1, isError(event.status) ? 1 : 0);
      dirty.add(key);
    },
    look() {
      for (const key of activities.keys()) dirty.add(key);
    },
    changes() {
      const changed: LiveAgent[] = [];
      const at = now();
      for (const key of dirty) {
        const activity = activityOf(key);
        const agent = shown(key, activity, at);
        if (agent === null) continue;
        const telling = tellingOf(agent);
        if (telling === activity.told) continue;
        activity.told = telling;
        changed.push(agent);
      }
      dirty.clear();
      return changed.length === 0 ? null : { agents: changed };
    },
    snapshot() {
      const at = now();
      const all: LiveAgent[] = [];
      for (const [key, activity] of activities) {
        const agent = shown(key, activity, at);
        if (agent === null) continue;
        // Others may still have to hear of what changed since they were told.
        if (activity.told === null) activity.told = tellingOf(agent);
        else if (activity.told !== tellingOf(agent)) dirty.add(key);
        all.push(agent);
      }
      const parts = [{ agents: all.slice(0, AGENTS_A_MESSAGE) }];
      for (let from = AGENTS_A_MESSAGE; from < all.length; from += AGENTS_A_MESSAGE) {
        parts.push({ agents: all.slice(from, from + AGENTS_A_MESSAGE) });
      }
      return parts;
    },
  };
}

function tellingOf({ name, status, is_paused }: LiveAgent): string {
  return JSON.stringify([name, status, is_paused]);
}
