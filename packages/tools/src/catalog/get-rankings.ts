import { healthScoreOperations } from "@tollgate/core/contract/health-scores";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getRankings = tool({
  name: "svc_get_rankings",
  domain: "Agent health",
  title: "Rankings",
  description:
    "Agents by health score, highest first, each with its rank and percentile; the fleet's average score and grade; warnings about scores that are stale because an agent has made no call for seven days. Not for the components of a score: svc_get_health_scores.",
  input: z.strictObject({}),
  output: healthScoreOperations["health_scores.rankings"].output,
  annotations: reads,
  run: call => call("health_scores.rankings", {}),
  render({ fleet, rankings, stale_warnings: stale }) {
    const average =
      fleet.average_score === null
        ? "No agent has a score yet"
        : `The fleet's average score is ${fleet.average_score}, grade ${fleet.grade}`;
    return [
      `${average}: ${count(fleet.scored_agents, "agent")} scored, ${fleet.unscored_agents} with too few calls.`,
      ...listLines(
        rankings,
        one =>
          `${one.rank}. ${quoted(one.agent_name)} (${one.agent_id}): ${one.score}, grade ${one.grade}, percentile ${Math.round(one.percentile * 10) / 10}`,
      ),
      ...(stale.length > 0
        ? ["Stale scores:", ...listLines(stale, one => `${quoted(one.agent_name)}: ${one.message}`)]
        : []),
    ].join("\n");
  },
});
