import { z } from "zod";
import { grades } from "../health-scores/grade.ts";
import { isoTime } from "./fields/iso-time.ts";
import { pageLimit } from "./fields/paging.ts";
import { periodResource } from "./fields/period.ts";
import { declareOperations, readAccess } from "./operation.ts";

const part = z.number().nullable().meta({ description: "0 to 1; null: no data, so the part has no weight" });

const completeness = z
  .number()
  .meta({ description: "The share of the weights whose parts had data, 0 to 1" });

const scoredAgent = {
  agent_id: z.string(),
  agent_name: z.string(),
  score: z.int().meta({ description: "0 to 100" }),
  grade: z.enum(grades).meta({ description: "A from 80, B from 60, C from 40, D from 20" }),
  data_completeness: completeness,
  is_stale: z.boolean().meta({ description: "No call for seven days" }),
  last_call_at: isoTime.nullable(),
};

const agentHealth = z
  .strictObject({
    ...scoredAgent,
    status: z
      .enum(["scored", "insufficient_data"])
      .meta({ description: "Insufficient: fewer than 20 calls within the period" }),
    score: scoredAgent.score.nullable(),
    grade: scoredAgent.grade.nullable(),
    calls: z.int(),
    parts: z.strictObject({
      reliability: part.meta({ description: "Weight 30: the lower Wilson bound of the success rate" }),
      cost_efficiency: part.meta({
        description: "Weight 25: 1 minus the wasted share found by the leak scan",
      }),
      outcomes: part.meta({ description: "Weight 20: the share of outcomes that succeeded" }),
      latency_steadiness: part.meta({
        description: "Weight 15: 95th percentile ÷ median, of the last 7 days compared with the whole period",
      }),
      budgets: part.meta({ description: "Weight 10: the share of ended budget periods within the limit" }),
    }),
  })
  .meta({ id: "AgentHealth" });

const pages = z.strictObject({
  limit: pageLimit(1000, 1000, "Agents of a page"),
  offset: z.int().min(0).max(1_000_000).default(0),
});

const common = {
  period: periodResource,
  computed_at: isoTime,
  agent_count: z.int().meta({ description: "All agents that are not archived, shown or not" }),
};

export const healthScoreOperations = declareOperations({
  "health_scores.list": {
    method: "GET",
    path: "/api/health-scores",
    summary: "The health of every agent: score, grade and how complete its data is",
    query: pages,
    output: z.strictObject({ ...common, scores: z.array(agentHealth) }),
    ...readAccess,
  },
  "health_scores.rankings": {
    method: "GET",
    path: "/api/health-scores/rankings",
    summary: "Agents by health score, highest first, with the fleet's average",
    query: pages,
    output: z.strictObject({
      ...common,
      fleet: z.strictObject({
        average_score: z.int().nullable().meta({ description: "null: no agent has a score" }),
        grade: z.enum(grades).nullable(),
        scored_agents: z.int(),
        unscored_agents: z.int().meta({ description: "Agents with too few calls for a score" }),
      }),
      rankings: z.array(
        z.strictObject({
          rank: z.int().meta({ description: "1 is the highest score; equal scores share a rank" }),
          percentile: z.number().meta({
            description: "Mid-rank: agents with a lower score and half of those with the same one, 0 to 100",
          }),
          ...scoredAgent,
        }),
      ),
      stale_warnings: z.array(
        z.strictObject({
          agent_id: z.string(),
          agent_name: z.string(),
          last_call_at: isoTime.nullable(),
          message: z.string(),
        }),
      ),
    }),
    ...readAccess,
  },
});
