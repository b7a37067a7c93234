import { seededRandom } from "@tollgate/core/statistics/seeded-random";
import type { Condition } from "../gateway/conditions.ts";
import type { Cluster, Verified } from "./cluster.ts";
import { countEvents, type EventCounts } from "./count-events.ts";
import type { Fault } from "./faults/fault.ts";
import { type ClientView, Load } from "./load.ts";
import type { ClusterOptions } from "./options.ts";
import { settle, sharedEnd } from "./settle.ts";

const BEFORE_MS = 2000;
const AFTER_MS = 3000;
const VERIFY_TRIES = 5;
/** The longest that any rule lets a call wait for another machine. */
const MAX_ADDED_P99_MS = 250;

export interface FaultResult {
  readonly name: string;
  readonly title: string;
  readonly clients: ClientView;
  readonly counts: EventCounts;
  /** From the end of the load until everything was shipped and derived; null: it never was. */
  readonly followedSeconds: number | null;
  readonly verified: readonly Verified[];
  readonly conditions: readonly Condition[];
}

/** The fault under load, then the count of every call. */
export async function runFault(
  cluster: Cluster,
  fault: Fault,
  options: ClusterOptions,
): Promise<FaultResult> {
  const from = await sharedEnd(cluster.postgres);
  const load = new Load(cluster, fault.name, options.callsPerSecond);
  load.begin();
  await Bun.sleep(BEFORE_MS);
  const more = await fault.strike({ cluster, load, options, random: seededRandom(options.seed) });
  await Bun.sleep(AFTER_MS);
  await load.end();
  const followedSeconds = await settle(cluster);
  const result = {
    name: fault.name,
    title: fault.title(options),
    clients: load.seen(),
    counts: await countEvents(cluster, fault.name, from),
    followedSeconds,
    verified: await verify(cluster),
  };
  return { ...result, conditions: [judge(result), ...more] };
}

/** A control plane that does no background work may copy the last events a second later. */
async function verify(cluster: Cluster): Promise<readonly Verified[]> {
  let verified = await cluster.verify();
  for (let tries = 1; tries < VERIFY_TRIES && verified.some(({ pending }) => pending > 0); tries++) {
    verified = await cluster.verify();
  }
  return verified;
}

function judge(result: Omit<FaultResult, "conditions">): Condition {
  const { title, clients, counts, followedSeconds, verified } = result;
  const unclean = verified.filter(({ ok, pending }) => !ok || pending > 0);
  const faults = [
    ...(counts.missing > 0 ? [`${counts.missing} events missing`] : []),
    ...(counts.doubled > 0 ? [`${counts.doubled} doubled`] : []),
    ...(clients.failed > 0 ? [`${clients.failed} calls failed (${clients.reasons.join("; ")})`] : []),
    ...(clients.addedP99Ms <= MAX_ADDED_P99_MS
      ? []
      : [`calls waited ${clients.addedP99Ms.toFixed(0)} ms (p99)`]),
    ...(followedSeconds === null ? ["not everything was shipped and derived"] : []),
    ...unclean.map(({ name, pending, text }) => `${name} differs: ${text || `${pending} events behind`}`),
  ];
  return {
    text: `${title}: each served call is recorded once, no other call fails or waits, all ledgers agree`,
    verdict: faults.length === 0 ? "PASS" : "FAIL",
    numbers: faults.length === 0 ? `${counts.served} calls` : faults.join("; "),
  };
}
