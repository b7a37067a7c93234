import { commands } from "./commands.ts";
import { programName } from "./program-name.ts";
import { programs } from "./programs.ts";

interface Listed {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** Help for one command, for a group of commands such as `ledger`, or for everything; null if nothing has that name. */
export function help(words: readonly string[]): string | null {
  const named = all().find(({ name }) => name === words.slice(0, wordsIn(name)).join(" "));
  if (named) {
    const isJson = commands.some(({ name }) => name === named.name);
    const usage = [programName, named.name, named.usage, isJson ? "[--json]" : ""].filter(Boolean).join(" ");
    return `Usage: ${usage}\n\n${sentence(named.summary)}\n`;
  }
  const [group] = words;
  const listed = all().filter(
    entry => !("isInternal" in entry) && (group === undefined || entry.name.split(" ")[0] === group),
  );
  return listed.length === 0 ? null : list(listed);
}

export function wordsIn(name: string): number {
  return name.split(" ").length;
}

function all(): readonly Listed[] {
  return [...programs, ...commands];
}

function list(listed: readonly Listed[]): string {
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.flatMap(({ name, usage, summary }) => [
    `  ${name.padEnd(width)}  ${summary}`,
    ...(usage === "" ? [] : [`  ${"".padEnd(width)}  ${usage}`]),
  ]);
  return `Usage: ${programName} <command> [options]\n\n${lines.join("\n")}\n\nEvery command has --help.\n`;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
