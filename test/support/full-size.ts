import type { Engine } from "@tollgate/storage/engine/engine";

/**
 * What is smaller in `npm test` than in `npm run test:full`, which runs every test file that imports this one, and which
 * CI runs as well. Which cases a smaller run has is not random.
 */
const isFullSize = process.env.FULL_SIZE === "1";

/** How often a simulation or a crash repeats, or how many events a test of exact sums adds up: a tenth in `npm test`. */
export function simulationRuns(full: number): number {
  return isFullSize ? full : Math.ceil(full / 10);
}

/**
 * For properties that are checked by whole simulations. The same plans in every run, so that a test does not fail by chance;
 * `SIMULATION_SEED=2 npm run test:full` tries others.
 */
export function simulatedPlans(full: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: simulationRuns(full), seed: Number(process.env.SIMULATION_SEED ?? 1) };
}

/**
 * The engine that a feature is tested on as a whole: SQLite in `npm test`, which runs the tests of all queries, every
 * operation of the web API and the cluster on PostgreSQL as well; PostgreSQL in `test:full`.
 */
export const systemEngines: readonly Engine[] = isFullSize ? ["postgres"] : ["sqlite"];

/** Every nth case in `npm test`, beginning with another one at each turn: n turns have all of them. */
export function everyNth<Case>(n: number, all: readonly Case[], turn: number): readonly Case[] {
  return isFullSize ? all : all.filter((_, index) => (index + turn) % n === 0);
}
