import { parseArgs } from "node:util";
import { commands } from "./commands.ts";
import { readConfig } from "./config/config.ts";
import { UsageError } from "./config/usage-error.ts";
import { findHelp, helpText, helpValue, wordsIn } from "./help.ts";
import { print } from "./output/print.ts";

/** Runs the command that the arguments name. Resolves with the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const command = commands.find(({ name }) => args.slice(0, wordsIn(name)).join(" ") === name);
  if (!command) throw unknownCommand(args);
  const config = readConfig(process.env);
  const { values, positionals } = parseArgs({
    args: args.slice(wordsIn(command.name)),
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

export async function printHelp(args: readonly string[], wantsJson: boolean): Promise<number> {
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
