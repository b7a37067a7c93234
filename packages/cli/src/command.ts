import type { parseArgs } from "node:util";
import type { Config } from "./config.ts";

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

export interface CommandInput {
  readonly config: Config;
  /** The positional argument; empty if the command has none. */
  readonly argument: string;
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Progress and remarks: stderr, so that `--json` leaves one value and nothing else on stdout. */
  readonly note: (text: string) => void;
}

export interface CommandResult {
  /** What `--json` prints. */
  readonly value: unknown;
  /** What a person reads. */
  readonly text: string;
  readonly exitCode?: number;
}

/** One `svc` command. A new one is a file and a line in `commands.ts`. */
export interface Command {
  /** "org create" */
  readonly name: string;
  /** "ID [--tier T]" */
  readonly usage: string;
  /** Describes the positional argument, such as "the key's id"; absent: there is none. */
  readonly argument?: string;
  readonly summary: string;
  readonly options: Options;
  run(input: CommandInput): CommandResult | Promise<CommandResult>;
}

/** A user's mistake, reported in one sentence without a stack trace. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** More lines for a person; not part of the error that `--json` prints. */
    readonly hint = "",
  ) {
    super(message);
  }
}

export function requireOption(input: CommandInput, name: string): string {
  const value = input.options[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`--${name} is required`);
  return value;
}

export function optionalNumber(input: CommandInput, name: string): number | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^\d+$/.test(value)) {
    throw new UsageError(`--${name} must be a whole number`);
  }
  return Number(value);
}

export function optionalEmail(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^[^@\s]+@[^@\s]+$/.test(value)) {
    throw new UsageError(`--${name} must be an e-mail address`);
  }
  return value.toLowerCase();
}

export function oneOf<T extends string>(
  input: CommandInput,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = input.options[name];
  if (value === undefined) return undefined;
  const found = allowed.find(candidate => candidate === value);
  if (!found) throw new UsageError(`--${name} must be one of ${allowed.join(", ")}`);
  return found;
}
