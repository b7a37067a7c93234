import { UsageError } from "./config/usage-error.ts";
import { print } from "./output/print.ts";
import { programs } from "./programs.ts";

const HELP_FLAGS: readonly string[] = ["--help", "-h"];

/** With `--json`, stdout gets exactly one JSON value, even for help and errors; everything else goes to stderr. */
const wantsJson = process.argv.includes("--json");

/** Resolves with the exit code; null: the process ends by itself. */
async function main(given: readonly string[]): Promise<number | null> {
  // Regardless of the shell's umask: only this user may read key digests, webhook secrets and members' addresses.
  process.umask(0o077);
  const args = given[0] === "--version" ? ["version", ...given.slice(1)] : given;
  const [first, ...rest] = args;
  const wantsHelp = args.some(arg => HELP_FLAGS.includes(arg));
  const program = programs.find(({ name }) => name === first);
  if (program && !wantsHelp) return await program.run(rest);
  // Loaded only now: a plane would keep the code of every command in memory.
  const { printHelp, runCommand } = await import("./run-command.ts");
  if (first === undefined || first === "--json") {
    await printHelp([], wantsJson);
    return 2;
  }
  if (first === "help") return await printHelp(rest, wantsJson);
  return wantsHelp ? await printHelp(args, wantsJson) : await runCommand(args);
}

try {
  const exitCode = await main(process.argv.slice(2));
  if (exitCode !== null) process.exit(exitCode);
} catch (fault) {
  const message = fault instanceof Error ? fault.message : String(fault);
  const hint = fault instanceof UsageError && fault.hint !== "" ? `\n${fault.hint}` : "";
  process.stderr.write(`${message}\n${hint}`);
  if (wantsJson) await print(`${JSON.stringify({ error: message })}\n`);
  process.exit(2);
}
