import { gradeOf, type HealthGrade, wholeScore } from "./grade.ts";

export interface Ranked {
  /** 1 is the highest score; equal scores share a rank, and the next rank is skipped accordingly. */
  readonly rank: number;
  /** Mid-rank, 0 to 100: the share of agents with a lower score, plus half of those with the same one, itself included. */
  readonly percentile: number;
}

/** Highest score first; equal scores keep the given order. */
export function rankAgents<Agent extends { readonly score: number }>(
  agents: readonly Agent[],
): (Agent & Ranked)[] {
  const sorted = agents.toSorted((a, b) => b.score - a.score);
  const tied = Map.groupBy(sorted, ({ score }) => score);
  let higher = 0;
  return [...tied.values()].flatMap(same => {
    const rank = higher + 1;
    higher += same.length;
    const lower = sorted.length - higher;
    const percentile = (100 * (lower + same.length / 2)) / sorted.length;
    return same.map(agent => ({ ...agent, rank, percentile }));
  });
}

/** null: no agent has a score. */
export function fleetHealth(
  agents: readonly { readonly score: number }[],
): { readonly average_score: number; readonly grade: HealthGrade } | null {
  if (agents.length === 0) return null;
  const average = wholeScore(agents.reduce((sum, { score }) => sum + score, 0) / agents.length);
  return { average_score: average, grade: gradeOf(average) };
}
