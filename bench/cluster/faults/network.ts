/** The network between nodes and PostgreSQL. */
import type { Cluster } from "../cluster.ts";
import type { ClusterOptions } from "../options.ts";
import { type Fault, NOTHING_ELSE, type Scene } from "./fault.ts";

const DELAY_MS = 500;
const RESET_SHARE = 0.05;

export const networkSlow: Fault = network(
  "network-slow",
  ({ seconds }) => `${DELAY_MS} ms to PostgreSQL, ${seconds} s`,
  proxy => proxy.delay(DELAY_MS),
);

export const networkResets: Fault = network(
  "network-resets",
  ({ seconds }) => `${RESET_SHARE * 100} % of its answers reset, ${seconds} s`,
  (proxy, { random }) => proxy.resetAnswersIf(() => random() < RESET_SHARE),
);

export const networkHalfOpen: Fault = network(
  "network-half-open",
  ({ seconds }) => `half-open for ${seconds} s`,
  proxy => proxy.stall(),
);

function network(
  name: string,
  title: (options: ClusterOptions) => string,
  disturb: (proxy: Cluster["network"], scene: Scene) => void,
): Fault {
  return {
    name,
    title,
    async strike(scene) {
      const { cluster, options } = scene;
      disturb(cluster.network, scene);
      await Bun.sleep(options.seconds * 1000);
      cluster.network.open();
      return NOTHING_ELSE;
    },
  };
}
