import { parseArgs } from "node:util";
import { type Command, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { ConfigError, readConfig } from "./config.ts";
import { restrictDataFiles } from "./restrict-data-files.ts";

/** Answers are JSON or text on stdout; everything else is on stderr. */
async function main(args: readonly string[]): Promise<number> {
  const [first] = args;
  if (first === undefined || first === "help" || first === "--help") {
    await print(help());
    return first === undefined ? 2 : 0;
  }
  // Whatever the shell's umask: keys' digests, webhooks' secrets and members' addresses are for this user alone.
  process.umask(0o077);
  const config = readConfig(process.env);
  if (first === "start" || first === "gateway" || first === "control") restrictDataFiles(config.dataDir);
  // Each process loads what it runs and no more: a command should not wait for a plane's code.
  switch (first) {
    case "start":
      return await (await import("./supervise.ts")).supervise(config);
    case "gateway":
      await (await import("./run-gateway.ts")).runGateway(config);
      return await new Promise<never>(() => {});
    case "control":
      await (await import("./run-control.ts")).runControl(config);
      return await new Promise<never>(() => {});
  }
  const command = commands.find(({ name }) => args.slice(0, wordsOf(name)).join(" ") === name);
  if (!command) throw new UsageError(`no such command: ${args.slice(0, 2).join(" ")}\n\n${help(first)}`);
  return await runCommand(command, args.slice(wordsOf(command.name)), config);
}

async function runCommand(
  command: Command,
  args: readonly string[],
  config: ReturnType<typeof readConfig>,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...command.options, json: { type: "boolean" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.help) {
    await print(`svc ${command.name} ${command.usage}\n${command.summary}\n`);
    return 0;
  }
  const expected = /^(ID|DIR)\b/.test(command.usage) ? 1 : 0;
  if (positionals.length > expected) throw new UsageError(`what is "${positionals[expected]}"?`);
  const result = await command.run({
    config,
    positionals,
    options: values as Record<string, string | boolean | undefined>,
    note: text => process.stderr.write(`${text}\n`),
  });
  await print(`${values.json ? JSON.stringify(result.value) : result.text}\n`);
  return result.exitCode ?? 0;
}

function wordsOf(name: string): number {
  return name.split(" ").length;
}

/** All of it, also into a slow pipe: to exit right after a write would cut the rest off. */
function print(text: string): Promise<void> {
  return new Promise(resolve => process.stdout.write(text, () => resolve()));
}

/** Of one kind (`ledger`), or of everything if there is no such kind. */
function help(kind?: string): string {
  const ofKind = commands.filter(({ name }) => name.split(" ")[0] === kind);
  const listed = ofKind.length > 0 ? ofKind : commands;
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(
    ({ name, usage, summary }) => `  ${name.padEnd(width)}  ${summary}\n  ${"".padEnd(width)}  ${usage}`,
  );
  return `Usage: npm run --silent svc -- <command> [--json]\n\n${lines.join("\n")}\n`;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (fault) {
  if (fault instanceof UsageError || fault instanceof ConfigError) process.stderr.write(`${fault.message}\n`);
  else if (fault instanceof TypeError && "code" in fault) process.stderr.write(`${fault.message}\n`);
  else process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(2);
}
