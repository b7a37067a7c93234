import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { atExit } from "./at-exit.ts";
import { processTree, startTicks } from "./process-stats.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const TERM_GRACE_MS = 10_000;

export interface OwnedProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly hasExited: () => boolean;
  /** The end of its stderr output, for the message if it does not start. Keys are redacted. */
  readonly lastWords: () => string;
  /** SIGTERM, and after a grace period SIGKILL to it and to its descendants. */
  readonly stop: () => Promise<void>;
}

export interface OwnedProcessOptions {
  readonly cwd?: string;
  /** The whole environment: a target must not inherit the caller's variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** What any program needs to run, and nothing that changes its behaviour. */
export function plainEnvironment(): Record<string, string> {
  const names = ["PATH", "HOME", "TMPDIR", "LANG"];
  return Object.fromEntries(
    names.flatMap(name => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Starts a program that is ended with the bench, together with its descendants. */
export function startOwnedProcess(command: readonly string[], options: OwnedProcessOptions): OwnedProcess {
  const logPath = join(temporaryDirectory("log"), "stderr.txt");
  const log = openSync(logPath, "w");
  const child = Bun.spawn([...command], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: log,
  });
  closeSync(log);
  const forget = endWithBench(child);
  return {
    pid: child.pid,
    exited: child.exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    lastWords: () =>
      readFileSync(logPath, "utf8")
        .slice(-600)
        .replaceAll(/sk_(live|test)_\w+/g, "sk_$1_…"),
    stop: async () => {
      await stopTree(child);
      forget();
    },
  };
}

/** For a child that the caller starts itself: ends it with the bench. Returns a function that unregisters it. */
export function endWithBench(child: Pick<Subprocess, "pid">): () => void {
  return atExit(() => killAll(identify(processTree(child.pid))));
}

interface Identity {
  readonly pid: number;
  readonly started: number;
}

function identify(pids: readonly number[]): Identity[] {
  return pids.flatMap(pid => {
    const started = startTicks(pid);
    return started === null ? [] : [{ pid, started }];
  });
}

/** Only processes that are still the same ones: a pid may have been reused. */
function killAll(identities: readonly Identity[]): void {
  for (const { pid, started } of identities) {
    if (startTicks(pid) !== started) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It exited in between.
    }
  }
}

async function stopTree(child: Subprocess): Promise<void> {
  const tree = identify(processTree(child.pid));
  child.kill("SIGTERM");
  await Promise.race([child.exited, Bun.sleep(TERM_GRACE_MS)]);
  killAll(tree);
  await child.exited;
}
