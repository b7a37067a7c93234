/** How long a revoked key is still accepted anywhere. */
import { eventually } from "../../../test/support/waiting/eventually.ts";
import { knowsKey } from "../cluster.ts";
import type { Measure } from "./measure.ts";

const ROUNDS = 10;
const LIMIT_MS = 1000;
const POLL_MS = 5;

export const revokedKey: Measure = {
  name: "revoked-key",
  async run(cluster) {
    const timesMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const client = cluster.client(cluster.planes[round % cluster.planes.length]);
      const { id, key } = await client.call("keys.create", {});
      for (const node of cluster.nodes) await eventually("it knows the key", () => knowsKey(node, key));
      // From the request on, although it takes effect only when it is answered.
      const startedMs = performance.now();
      await client.call("keys.revoke", { id });
      const refused = cluster.nodes.map(async node => {
        while (await knowsKey(node, key)) await Bun.sleep(POLL_MS);
        return performance.now() - startedMs;
      });
      timesMs.push(Math.max(...(await Promise.all(refused))));
    }
    const longestMs = Math.max(...timesMs);
    const times = timesMs.map(ms => Math.round(ms)).join(", ");
    return {
      lines: [`a revoked key is refused on every node after (ms): ${times}`],
      conditions: [
        {
          text: `a revoked key is refused on every node within ${LIMIT_MS} ms`,
          verdict: longestMs < LIMIT_MS ? "PASS" : "FAIL",
          numbers: `at most ${Math.round(longestMs)} ms, ${ROUNDS} keys`,
        },
      ],
    };
  },
};
