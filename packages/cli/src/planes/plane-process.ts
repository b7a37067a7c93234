import { join } from "node:path";
import { describeFault } from "@tollgate/core/log";
import type { Subprocess } from "bun";
import { logToStderr } from "../output/log-to-stderr.ts";

const MAX_BACKOFF_MS = 5_000;
const STEADY_MS = 10_000;

/** The binary runs itself; in a checkout, the runtime gets the script to run. */
const script = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, "..", "main.ts")];

interface PlaneOptions {
  /** The command of `main.ts` that runs it. */
  readonly name: "gateway" | "control" | "sidecar";
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with the address that it listens on. */
  readonly onReady: (url: string) => void;
}

/**
 * Runs one plane as a child process: starts it, restarts it if it dies, stops it. The planes are independent: one
 * in a crash loop does not take the other down.
 */
export class PlaneProcess {
  #child: Subprocess | null = null;
  #isStopping = false;
  #wasReady = false;

  constructor(private readonly options: PlaneOptions) {}

  /** Runs until it is stopped, or until it ends without ever being ready. Resolves with its exit code. */
  async run(): Promise<number> {
    let backoffMs = 100;
    for (;;) {
      const started = performance.now();
      const exitCode = await this.#runOnce();
      if (this.#isStopping) return exitCode ?? 1;
      // It was never ready (a port in use, a bad file), so a restart would fail the same way.
      if (!this.#wasReady) return exitCode || 1;
      if (performance.now() - started > STEADY_MS) backoffMs = 100;
      await Bun.sleep(backoffMs);
      backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
      if (this.#isStopping) return 0;
    }
  }

  finish(): void {
    this.#isStopping = true;
    this.#child?.kill("SIGTERM");
  }

  kill(): void {
    this.#isStopping = true;
    this.#child?.kill("SIGKILL");
  }

  /** Resolves with its exit code; null: it could not be started again, for a reason that may be temporary. */
  async #runOnce(): Promise<number | null> {
    const { name } = this.options;
    const report = (level: "warn" | "error", text: string, details: Record<string, unknown>) =>
      logToStderr(level, `the ${name} ${text}`, { plane: name, ...details });
    try {
      const child = this.#start();
      const exitCode = await child.exited;
      if (this.#isStopping) return exitCode;
      if (this.#wasReady) {
        const level = exitCode === 0 ? "warn" : "error";
        report(level, `ended with code ${exitCode}; restarting it`, { exit_code: exitCode });
      } else if (child.signalCode !== null) {
        // A killed process cannot report it.
        report("error", `was ended by ${child.signalCode} before it was ready`, {});
      }
      return exitCode;
    } catch (fault) {
      if (!this.#wasReady) throw fault;
      report("error", "could not be started; retrying", describeFault(fault));
      return null;
    }
  }

  #start(): Subprocess {
    const { name, environment, onReady } = this.options;
    const child = Bun.spawn([process.execPath, ...script, name], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (message: unknown) => {
        const url = readReady(message);
        if (url === null) return;
        this.#wasReady = true;
        onReady(url);
      },
    });
    this.#child = child;
    return child;
  }
}

function readReady(message: unknown): string | null {
  if (typeof message !== "object" || message === null || !("ready" in message)) return null;
  return typeof message.ready === "string" ? message.ready : null;
}
