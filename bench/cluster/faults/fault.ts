import type { Condition } from "../../gateway/conditions.ts";
import type { Cluster } from "../cluster.ts";
import type { Load } from "../load.ts";
import type { ClusterOptions } from "../options.ts";

/** What a fault is given: the cluster that it strikes, and the load beside it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly options: ClusterOptions;
  /** From 0 to 1, repeatable by the seed. */
  readonly random: () => number;
}

export interface Fault {
  readonly name: string;
  readonly title: (options: ClusterOptions) => string;
  /** Resolves once the fault is over; with what else has to hold. */
  strike(scene: Scene): Promise<readonly Condition[]>;
}

/** Of `Fault.strike`, if nothing else is to be checked than for every fault. */
export const NOTHING_ELSE: readonly Condition[] = [];
