import { listenersOn, processTree } from "../../kit/process-stats.ts";
import type { RunningTarget } from "../targets/target.ts";

export interface TargetProcesses {
  /** Processes that listen on the target's port, and so do the work of a call. */
  readonly serving: readonly number[];
  /** Supervisors and helpers; Tollgate's control plane is one. */
  readonly others: readonly number[];
}

export function targetProcesses(target: RunningTarget): TargetProcesses {
  const tree = processTree(target.pid);
  const serving = listenersOn(target.address.port, tree);
  if (serving.length === 0) throw new Error("none of the target's processes listens on its port");
  return { serving, others: tree.filter(pid => !serving.includes(pid)) };
}
