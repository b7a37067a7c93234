/** Our gateway next to the direct upstream, nginx and Portkey: one run, one machine, one table. */
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { progress } from "../kit/progress.ts";
import { judge, judgeExtras, judgePaced } from "./conditions.ts";
import { callsInTurns, streamsInTurns } from "./measures/measure-in-turns.ts";
import { measurePaced, type PacedLatencies } from "./measures/measure-paced.ts";
import { measureTarget } from "./measures/measure-target.ts";
import type { TargetResult } from "./measures/target-result.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { type Sizes, sizesFor } from "./sizes.ts";
import { renderTable } from "./table.ts";
import { direct, startFakeUpstream } from "./targets/direct.ts";
import { litellm } from "./targets/litellm.ts";
import { nginx } from "./targets/nginx.ts";
import { portkey } from "./targets/portkey.ts";
import type { RunningTarget, Target, TargetName } from "./targets/target.ts";
import {
  tollgate,
  tollgateSampling,
  tollgateWithBudgets,
  tollgateWithVerification,
} from "./targets/tollgate.ts";
import { tollgateNode, tollgateNodeWithRedis } from "./targets/tollgate-node.ts";

/** In the order of measurement: the baseline right before us, so that both see the same machine. */
const targets: readonly Target[] = [direct, litellm, portkey, nginx, tollgate];

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runGatewayBench(args: readonly string[]): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : "bad arguments"}\nusage: ${usage}`);
    return 2;
  }
  undoOnExit();

  const upstream = await startFakeUpstream();
  const results = new Map<TargetName, TargetResult>();
  for (const target of targets.filter(({ name }) => options.only.has(name))) {
    results.set(target.name, await measureTarget(target, upstream, options.quick));
  }
  const cpuInTurns = await sideBySide(options, sizes =>
    callsInTurns(
      [nginx, tollgate, tollgateWithBudgets, tollgateWithVerification, tollgateNode],
      upstream,
      sizes,
    ),
  );
  const streamInTurns = await sideBySide(options, sizes =>
    streamsInTurns([nginx, tollgate], upstream, sizes),
  );
  for (const [name, result] of results) {
    results.set(name, {
      ...result,
      cpuUsInTurns: cpuInTurns.get(name) ?? null,
      streamMsInTurns: streamInTurns.get(name) ?? null,
    });
  }
  const latencies = await pacedLatencies(options, upstream);
  await upstream.stop();
  progress("done");

  return report(options, results, cpuInTurns, latencies);
}

/** The baseline and our gateway. Empty if one of them was skipped or failed. */
async function sideBySide(
  options: BenchOptions,
  measure: (sizes: Sizes) => Promise<ReadonlyMap<TargetName, number>>,
): Promise<ReadonlyMap<TargetName, number>> {
  if (!options.only.has("nginx") || !options.only.has("tollgate")) return new Map();
  try {
    return await measure(sizesFor(1, options.quick));
  } catch (error) {
    progress(`alternately: FAILED: ${error instanceof Error ? error.message : "unknown error"}`);
    return new Map();
  }
}

/** null: skipped, or failed. */
async function pacedLatencies(
  options: BenchOptions,
  upstream: RunningTarget,
): Promise<PacedLatencies | null> {
  if (!options.only.has("tollgate")) return null;
  try {
    const targets = [tollgate, tollgateSampling, tollgateNode, tollgateNodeWithRedis];
    return await measurePaced(targets, upstream, sizesFor(1, options.quick));
  } catch (error) {
    progress(`latency in turns: FAILED: ${error instanceof Error ? error.message : "unknown error"}`);
    return null;
  }
}

function report(
  options: BenchOptions,
  results: ReadonlyMap<TargetName, TargetResult>,
  cpuInTurns: ReadonlyMap<TargetName, number>,
  latencies: PacedLatencies | null,
): number {
  const skipped = new Set(targets.map(({ name }) => name).filter(name => !options.only.has(name)));
  const conditions = [
    ...judge(results, skipped),
    ...judgeExtras(cpuInTurns, skipped),
    ...judgePaced(latencies, skipped),
  ];
  const measured = [...results.values()];
  const ok =
    conditions.every(({ verdict }) => verdict !== "FAIL") && measured.every(({ error }) => error === null);
  const environment = describeEnvironment();
  if (options.json) {
    console.log(
      JSON.stringify({ ok, quick: options.quick, environment, results: measured, conditions }, null, 2),
    );
    return ok ? 0 : 1;
  }
  console.log(`\n${environment}${options.quick ? "; --quick: a tenth of the calls, rougher numbers" : ""}\n`);
  console.log(renderTable(measured));
  console.log("\nIn brackets: the upstream's own time, to which the others add.");
  for (const { name, title, version, streamsVersion } of measured) {
    const streams = streamsVersion === null ? "" : `; streams on ${streamsVersion}`;
    console.log(`${name}: ${title} (${version ?? "not started"}${streams})`);
  }
  console.log("");
  for (const { verdict, text, numbers } of conditions) console.log(`${verdict}  ${text}: ${numbers}`);
  for (const { name, error } of measured) if (error !== null) console.log(`FAIL  ${name}: ${error}`);
  return ok ? 0 : 1;
}
