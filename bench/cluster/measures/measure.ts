import type { Condition } from "../../gateway/conditions.ts";
import type { Cluster } from "../cluster.ts";
import type { ClusterOptions } from "../options.ts";

export interface Measured {
  /** For the report. */
  readonly lines: readonly string[];
  readonly conditions: readonly Condition[];
}

/** A number about the cluster as a whole. */
export interface Measure {
  readonly name: string;
  run(cluster: Cluster, options: ClusterOptions): Promise<Measured>;
}
