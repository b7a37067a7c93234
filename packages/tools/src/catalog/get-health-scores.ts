import { healthScoreOperations } from "@tollgate/core/contract/health-scores";
import { z } from "zod";
import { count, percent } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getHealthScores = tool({
  name: "svc_get_health_scores",
  domain: "Agent health",
  title: "Health scores",
  description:
    "The health of every agent over the last 30 days: a score from 0 to 100 with its grade (A to F), its components (reliability, cost efficiency, outcomes, latency, budgets) and how complete the data is. Not for ranking agents or the fleet's average: svc_get_rankings. Not for what to change: svc_get_optimization_recommendations (Lite tier and above).",
  input: z.strictObject({}),
  output: healthScoreOperations["health_scores.list"].output,
  annotations: reads,
  run: call => call("health_scores.list", {}),
  render({ scores, agent_count: agents }) {
    const scored = scores.filter(({ status }) => status === "scored").length;
    return [
      `${count(agents, "agent")}, ${scored} with a score; the others had fewer than 20 calls.`,
      ...listLines(
        scores,
        one =>
          `${quoted(one.agent_name)} (${one.agent_id}): ${one.score === null ? "insufficient data" : `${one.score}, grade ${one.grade}`}, data ${percent(one.data_completeness)} complete${one.is_stale ? ", stale" : ""}`,
      ),
    ].join("\n");
  },
});
