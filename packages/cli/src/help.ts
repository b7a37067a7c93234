import { commands } from "./commands.ts";
import { programName } from "./config/program-name.ts";
import { programs } from "./programs.ts";

interface Listed {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

/** One command, or a list of them. */
type Found = Listed | readonly Listed[];

/** One command, a group of commands such as `ledger`, or everything; null if nothing has that name. */
export function findHelp(words: readonly string[]): Found | null {
  const named = all().find(({ name }) => name === words.slice(0, wordsIn(name)).join(" "));
  if (named) return named;
  const [group] = words;
  const listed = all().filter(
    entry => !("isInternal" in entry) && (group === undefined || entry.name.split(" ")[0] === group),
  );
  return listed.length === 0 ? null : listed;
}

export function helpText(found: Found): string {
  if (isList(found)) return list(found);
  const takesJson = commands.some(({ name }) => name === found.name);
  const usage = [programName, found.name, found.usage, takesJson ? "[--json]" : ""].filter(Boolean).join(" ");
  return `Usage: ${usage}\n\n${sentence(found.summary)}\n`;
}

/** What `--json` prints. */
export function helpValue(found: Found): unknown {
  return isList(found) ? { commands: found.map(described) } : described(found);
}

function isList(found: Found): found is readonly Listed[] {
  return Array.isArray(found);
}

function described({ name, usage, summary }: Listed): Listed {
  return { name, usage, summary };
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
