import { parseArgs } from "node:util";
import { type Command, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { readConfig } from "./config.ts";
import { findHelp, helpText, helpValue, wordsIn } from "./help.ts";
import { programs } from "./programs.ts";

const HELP_FLAGS: readonly (string | undefined)[] = ["--help", "-h"];

/** With `--json`, stdout gets exactly one JSON value, even for help and errors; everything else goes to stderr. */
const wantsJson = process.argv.includes("--json");

/** Resolves with the exit code; null: the process ends by itself. */
async function main(given: readonly string[]): Promise<number | null> {
  const args = given[0] === "--version" ? ["version", ...given.slice(1)] : given;
  const [first, ...rest] = args;
  if (first === undefined || first === "--json") {
    await printHelp([]);
    return 2;
  }
  if (first === "help" || HELP_FLAGS.includes(first)) return await printHelp(rest);
  if (rest.some(arg => HELP_FLAGS.includes(arg))) return await printHelp(args);
  // Regardless of the shell's umask: only this user may read key digests, webhook secrets and members' addresses.
  process.umask(0o077);
  const program = programs.find(({ name }) => name === first);
  if (program) return await program.run(rest);
  const command = commands.find(({ name }) => args.slice(0, wordsIn(name)).join(" ") === name);
  if (!command) throw unknownCommand(args);
  return await runCommand(command, args.slice(wordsIn(command.name)));
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const config = readConfig(process.env);
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...command.options, json: { type: "boolean" } },
    allowPositionals: true,
  });
  const [argument = "", ...others] = command.argument === undefined ? ["", ...positionals] : positionals;
  if (others.length > 0) throw new UsageError(`unexpected argument: ${others[0]}`);
  if (command.argument !== undefined && argument === "")
    throw new UsageError(`${command.argument} is required`);
  const result = await command.run({
    config,
    argument,
    options: values as Record<string, string | boolean | undefined>,
    note: text => process.stderr.write(`${text}\n`),
  });
  await print(`${values.json ? JSON.stringify(result.value) : result.text}\n`);
  return result.exitCode ?? 0;
}

async function printHelp(args: readonly string[]): Promise<number> {
  const words = args.filter(arg => !arg.startsWith("-"));
  const found = findHelp(words);
  if (found === null) throw unknownCommand(words);
  await print(wantsJson ? `${JSON.stringify(helpValue(found))}\n` : helpText(found));
  return 0;
}

function unknownCommand(args: readonly string[]): UsageError {
  const listed = findHelp(args.slice(0, 1)) ?? findHelp([]);
  return new UsageError(`no such command: ${args.slice(0, 2).join(" ")}`, listed ? helpText(listed) : "");
}

/** Waits until a slow pipe has taken all of it: exiting right after a write would truncate the output. */
function print(text: string): Promise<void> {
  return new Promise(resolve => process.stdout.write(text, () => resolve()));
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
