/** Several machines: what holds, and what is lost, while something fails under load. */

import type { Condition } from "../gateway/conditions.ts";
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { progress } from "../kit/progress.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { Load } from "./load.ts";
import type { Measured } from "./measures/measure.ts";
import { type ClusterOptions, readOptions, usage } from "./options.ts";
import { renderFaults } from "./render-faults.ts";
import { faults, measures, rowNames } from "./rows.ts";
import { type FaultResult, runFault } from "./run-fault.ts";

const WARM_UP_MS = 8000;

/** What one machine cannot show: its processes share a clock, and there is only one version. */
const notMeasured: readonly Condition[] = [
  "clocks of nodes apart by 5 s: periods and leases are right within that",
  "nodes of the previous version beside new ones: both work",
].map(text => ({ text, verdict: "NOT MEASURED", numbers: "see the tests in test/cluster" }));

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runClusterBench(args: readonly string[]): Promise<number> {
  let options: ClusterOptions;
  try {
    options = readOptions(args, rowNames);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  undoOnExit();
  progress("starting PostgreSQL, Redis, two control planes and three gateways");
  const cluster = await startCluster();
  progress("warming up");
  await warmUp(cluster, options);
  const results: FaultResult[] = [];
  for (const fault of faults) {
    if (!options.only.has(fault.name)) continue;
    progress(fault.title(options));
    results.push(await runFault(cluster, fault, options));
  }
  const measured = new Map<string, Measured>();
  for (const measure of measures) {
    if (!options.only.has(measure.name)) continue;
    progress(measure.name);
    measured.set(measure.name, await measure.run(cluster, options));
  }
  await cluster.stop();
  return report(options, results, measured);
}

/** The first calls of a process are slow, and register the load's agents. */
async function warmUp(cluster: Cluster, { callsPerSecond }: ClusterOptions): Promise<void> {
  const load = new Load(cluster, "warm-up", callsPerSecond);
  load.begin();
  await Bun.sleep(WARM_UP_MS);
  await load.end();
}

function report(
  options: ClusterOptions,
  results: readonly FaultResult[],
  measured: ReadonlyMap<string, Measured>,
): number {
  const conditions = [
    ...results.flatMap(result => result.conditions),
    ...[...measured.values()].flatMap(one => one.conditions),
    ...notMeasured,
  ];
  const ok = conditions.every(({ verdict }) => verdict !== "FAIL");
  const environment = describeEnvironment();
  if (options.json) {
    const { callsPerSecond, seed } = options;
    const measures = Object.fromEntries(measured);
    console.log(
      JSON.stringify(
        { ok, environment, callsPerSecond, seed, faults: results, measures, conditions },
        null,
        2,
      ),
    );
    return ok ? 0 : 1;
  }
  console.log(`\n${environment}; ${options.callsPerSecond} calls/s over three nodes, seed ${options.seed}\n`);
  if (results.length > 0) console.log(`${renderFaults(results)}\n`);
  for (const { lines } of measured.values()) for (const line of lines) console.log(line);
  console.log("");
  for (const { verdict, text, numbers } of conditions) console.log(`${verdict}  ${text}: ${numbers}`);
  return ok ? 0 : 1;
}
