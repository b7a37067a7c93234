/**
 * How often a statistical simulation repeats, or how many events a test of exact sums adds up. `npm test` runs a fifth;
 * `npm run test:simulations` and CI run all of them. Seeds are fixed, so each is reproducible.
 */
export function simulationRuns(full: number): number {
  return process.env.FULL_SIMULATIONS === "1" ? full : Math.ceil(full / 5);
}
