/**
 * How often a statistical simulation repeats, or how many events a test of exact sums adds up. `npm test` makes a fifth;
 * `npm run test:simulations` and CI make all of them. Seeds are fixed, so either number gives the same answer every time.
 */
export function simulationRuns(full: number): number {
  return process.env.FULL_SIMULATIONS === "1" ? full : Math.ceil(full / 5);
}
