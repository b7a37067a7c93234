/** `npm test`: types, lint and boundaries first, then every test; the last line counts. */
import { spawn } from "node:child_process";

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

const count = (output: string, word: "pass" | "fail") =>
  Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(output)?.[1] ?? 0);

const wanted = process.argv.slice(2);
const check = wanted.length > 0 ? null : await run(["npm", "run", "--silent", "check"]);
const tests = await run([process.execPath, "test", "--timeout", "60000", ...wanted]);

const checkFailed = check !== null && check.exitCode !== 0;
const passed = count(tests.output, "pass") + (check === null || checkFailed ? 0 : 1);
// A crash of the runner prints no count; it must not look like nothing failed.
const failed = Math.max(count(tests.output, "fail"), tests.exitCode === 0 ? 0 : 1) + (checkFailed ? 1 : 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
