import type { Address } from "../generator/chat-request.ts";

export const targetNames = ["direct", "nginx", "portkey", "litellm", "tollgate"] as const;
/** Measured only if named: its installation takes minutes and needs Python. */
export const namedTargets: readonly string[] = ["litellm"];
/** The others are only measured alternately with `tollgate`. */
export type TargetName =
  | (typeof targetNames)[number]
  | "budgets"
  | "verification"
  | "sampling"
  | "node"
  | "redis";

export interface RunningTarget {
  readonly address: Address;
  /** Headers that this target needs in addition, to reach the fake upstream. */
  readonly headers: Readonly<Record<string, string>>;
  /** The root of its processes. */
  readonly pid: number;
  /** For the report: which program this was. */
  readonly version: string;
  readonly stop: () => Promise<void>;
}

export interface Target {
  readonly name: TargetName;
  readonly title: string;
  /** Calls and streams are divided by this: a target that is a hundred times slower is measured on fewer. */
  readonly fewer: number;
  readonly start: (upstream: RunningTarget) => Promise<RunningTarget>;
  /** For a target that has to run differently to stream; otherwise streams are measured on what `start` started. */
  readonly startForStreams?: (upstream: RunningTarget) => Promise<RunningTarget>;
}

export const PROVIDER_KEY = "sk-bench-not-a-real-key";
