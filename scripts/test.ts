/**
 * `npm test`: types, lint and boundaries alongside the tests; the last line has the counts. With FULL_SIZE=1, which is
 * `npm run test:full`: the long tests (`*.long.test.ts`), and those that are smaller otherwise at their full size.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Glob } from "bun";
import { builtProgram } from "./built-program.ts";
import { makeTestFolder } from "./make-test-folder.ts";

/** Only a safety net against a test that hangs; tests do not measure it. */
const TEST_TIMEOUT_MS = 600_000;
/** Each test process may start its own PostgreSQL and Chromium: more of them would cost more than they save. */
const MAX_PROCESSES = 6;
/** Two leave a twentieth of the cores unused. Three do not, but take a fourth longer: each compiles and starts its own. */
const PROCESSES_PER_CORE = 2;
/** How long each file took last time, so that the slowest ones start first. */
const TIMINGS = "node_modules/.tollgate-test-timings.json";
/** Rough times of the slowest files, for the first run in a clone. */
const FIRST_TIMINGS = "scripts/slow-tests.json";

const folder = makeTestFolder();
const environment = {
  ...process.env,
  TMPDIR: folder.path,
  // With more processes than cores, garbage collection in threads of its own takes a sixth more CPU, and compiling what
  // runs for a few seconds takes more than it saves: together a third of a run. Simulations, whose loops run millions of
  // times, are still optimized.
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "200000",
  BUN_JSC_thresholdForOptimizeSoon: "200000",
};

interface Result {
  readonly exitCode: number;
  readonly output: string;
}

function run(command: readonly string[], print: (text: string) => void): Promise<Result> {
  return new Promise(resolve => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: environment });
    let output = "";
    const keep = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      print(chunk.toString("utf8"));
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", code => resolve({ exitCode: code ?? 1, output }));
  });
}

const print = (text: string) => void process.stdout.write(text);

/** Printed in one piece after the tests, because nobody would find it between theirs. */
const checkAll = (): Promise<Result> => run(["npm", "run", "--silent", "check"], () => {});

const runTests = (files: readonly string[]): Promise<Result> =>
  run(
    [
      process.execPath,
      "test",
      `--timeout=${TEST_TIMEOUT_MS}`,
      `--parallel=${Math.min(MAX_PROCESSES, PROCESSES_PER_CORE * availableParallelism())}`,
      // Files of one process share its PostgreSQL.
      "--no-isolate",
      "--no-orphans",
      `--timings=${TIMINGS}`,
      "--update-timings",
      ...files,
    ],
    print,
  );

const isLong = (path: string) => path.endsWith(".long.test.ts");
const hasFullSize = (path: string) => readFileSync(path, "utf8").includes('/support/full-size.ts"');

/** The files of `npm test`, or of `npm run test:full`. */
function testFiles(isFullSize: boolean): string[] {
  const files = [...new Glob("{bench,packages,scripts,test}/**/*.test.ts").scanSync()].filter(
    path => !path.includes("node_modules"),
  );
  return files.filter(path => (isFullSize ? isLong(path) || hasFullSize(path) : !isLong(path))).sort();
}

/** The ten slowest files of this run, in seconds. */
function slowest(output: string): string {
  const ran = new Set([...output.matchAll(/^(\S+\.test\.ts):$/gm)].map(([, path]) => path));
  if (!existsSync(TIMINGS)) return "";
  const { files } = JSON.parse(readFileSync(TIMINGS, "utf8")) as { files: Record<string, number> };
  return Object.entries(files)
    .filter(([path]) => ran.has(path))
    .sort(([, a], [, b]) => b - a)
    .slice(0, 10)
    .map(([path, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${path}`)
    .join("\n");
}

/** The runner's last count: a test may print its own before that. */
const count = (output: string, word: "pass" | "fail") =>
  Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);

if (!existsSync(TIMINGS)) copyFileSync(FIRST_TIMINGS, TIMINGS);
const named = process.argv.slice(2);
const isFullSize = process.env.FULL_SIZE === "1";
const wanted = named.length === 0 ? testFiles(isFullSize) : named;
// Before the test processes, each of which would build it.
if (named.length === 0) {
  try {
    builtProgram();
  } catch (fault) {
    console.log(`${fault instanceof Error ? fault.message : fault}\n\n0 passed, 1 failed`);
    process.exit(1);
  }
}
const [check, tests] = await Promise.all([
  named.length === 0 && !isFullSize ? checkAll() : null,
  runTests(wanted),
]);

const checkFailed = check !== null && check.exitCode !== 0;
const passed = count(tests.output, "pass") + (check === null || checkFailed ? 0 : 1);
// A crash of the runner prints no count; it must not look as if nothing failed.
const failed = Math.max(count(tests.output, "fail"), tests.exitCode === 0 ? 0 : 1) + (checkFailed ? 1 : 0);
if (checkFailed) console.log(`\n${check.output}`);
console.log(`\n${slowest(tests.output)}\n\n${passed} passed, ${failed} failed`);
folder.remove();
process.exit(failed === 0 ? 0 : 1);
