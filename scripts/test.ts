/** `npm test`: types, lint and boundaries first, then every test; the last line counts. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** A safety net against a test that hangs, never something that a test measures. */
const TEST_TIMEOUT_MS = 600_000;
/** Each test process may start a PostgreSQL and a Chromium of its own: more of them would cost more than they save. */
const MAX_PROCESSES = 4;
/** How long each file took the last time, so that the slowest ones start first. */
const TIMINGS = "node_modules/.tollgate-test-timings.json";

interface Result {
  readonly exitCode: number;
  readonly output: string;
}

function run(command: readonly string[]): Promise<Result> {
  return new Promise(resolve => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const pass = (to: NodeJS.WriteStream) => (chunk: Buffer) => {
      output += chunk.toString("utf8");
      to.write(chunk);
    };
    child.stdout.on("data", pass(process.stdout));
    child.stderr.on("data", pass(process.stderr));
    child.on("close", code => resolve({ exitCode: code ?? 1, output }));
  });
}

/** The runner's last count: a test may print one of its own before. */
const count = (output: string, word: "pass" | "fail") =>
  Number([...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);

const wanted = process.argv.slice(2);
const check = wanted.length > 0 ? null : await run(["npm", "run", "--silent", "check"]);
const tests = await run([
  process.execPath,
  "test",
  `--timeout=${TEST_TIMEOUT_MS}`,
  `--parallel=${Math.min(MAX_PROCESSES, availableParallelism())}`,
  // Files of one process share its PostgreSQL.
  "--no-isolate",
  "--no-orphans",
  `--timings=${TIMINGS}`,
  "--update-timings",
  ...wanted,
]);

const checkFailed = check !== null && check.exitCode !== 0;
const passed = count(tests.output, "pass") + (check === null || checkFailed ? 0 : 1);
// A crash of the runner prints no count; it must not look like nothing failed.
const failed = Math.max(count(tests.output, "fail"), tests.exitCode === 0 ? 0 : 1) + (checkFailed ? 1 : 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
