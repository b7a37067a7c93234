/** Everything that the bench runs, in this order: a further fault is a file and a line here. */
import { baseline } from "./faults/baseline.ts";
import type { Fault } from "./faults/fault.ts";
import { frozenNode } from "./faults/frozen-node.ts";
import { kills } from "./faults/kills.ts";
import { networkHalfOpen, networkResets, networkSlow } from "./faults/network.ts";
import { postgresStopped } from "./faults/postgres-stopped.ts";
import { redisEmptied, redisKilled, redisStalled } from "./faults/redis.ts";
import { allowances } from "./measures/allowances.ts";
import { herd } from "./measures/herd.ts";
import { live } from "./measures/live.ts";
import type { Measure } from "./measures/measure.ts";
import { revokedKey } from "./measures/revoked-key.ts";
import { takeover } from "./measures/takeover.ts";

/** Each runs under load, and every call is counted afterwards. */
export const faults: readonly Fault[] = [
  baseline,
  kills,
  postgresStopped,
  redisKilled,
  redisEmptied,
  redisStalled,
  networkSlow,
  networkResets,
  networkHalfOpen,
  frozenNode,
];

/** Herds come last: nodes go on renewing their parts of those budgets for a while. */
export const measures: readonly Measure[] = [allowances, revokedKey, takeover, live, herd];

export const rowNames: readonly string[] = [...faults, ...measures].map(({ name }) => name);
