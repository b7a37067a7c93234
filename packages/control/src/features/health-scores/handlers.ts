import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { healthScoreOperations } from "@tollgate/core/contract/health-scores";
import { fleetHealth, rankAgents } from "@tollgate/core/health-scores/rank-agents";
import type { Handlers } from "../../kernel/handler.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { readFleetHealth, type ScoredAgent } from "./read-fleet-health.ts";

export const healthScoreHandlers: Handlers<typeof healthScoreOperations> = {
  "health_scores.list": async (context, { limit, offset }) => {
    const { window, agents } = await readFleetHealth(context);
    return {
      period: toPeriod(window),
      computed_at: toIsoTime(context.now()),
      agent_count: agents.length,
      scores: agents.slice(offset, offset + limit).map(({ health, parts, calls, ...agent }) => ({
        ...named(agent),
        status: health.status,
        score: health.status === "scored" ? health.score : null,
        grade: health.status === "scored" ? health.grade : null,
        data_completeness: health.data_completeness,
        calls,
        parts,
      })),
    };
  },

  "health_scores.rankings": async (context, { limit, offset }) => {
    const { window, agents } = await readFleetHealth(context);
    const scored = agents.flatMap(({ health, ...agent }) =>
      health.status === "scored" ? { ...agent, ...health } : [],
    );
    const ranked = rankAgents(scored);
    const shown = ranked.slice(offset, offset + limit);
    const fleet = fleetHealth(scored);
    return {
      period: toPeriod(window),
      computed_at: toIsoTime(context.now()),
      agent_count: agents.length,
      fleet: {
        average_score: fleet?.average_score ?? null,
        grade: fleet?.grade ?? null,
        scored_agents: scored.length,
        unscored_agents: agents.length - scored.length,
      },
      rankings: shown.map(agent => ({
        rank: agent.rank,
        percentile: agent.percentile,
        ...named(agent),
        score: agent.score,
        grade: agent.grade,
        data_completeness: agent.data_completeness,
      })),
      stale_warnings: shown
        .filter(agent => agent.isStale)
        .map(agent => ({
          agent_id: agent.id,
          agent_name: agent.name,
          last_call_at: orNull(agent.lastCallAt),
          message: "No call for seven days or more: the score is out of date",
        })),
    };
  },
};

type Named = Pick<ScoredAgent, "id" | "name" | "isStale" | "lastCallAt">;

function named({ id, name, isStale, lastCallAt }: Named) {
  return { agent_id: id, agent_name: name, is_stale: isStale, last_call_at: orNull(lastCallAt) };
}

function orNull(at: number | null): string | null {
  return at === null ? null : toIsoTime(at);
}
