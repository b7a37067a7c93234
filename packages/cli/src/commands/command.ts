import type { parseArgs } from "node:util";
import type { Config } from "../config/config.ts";

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
