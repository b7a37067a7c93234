import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "../../../scripts/built-program.ts";
import { eventually } from "../waiting/eventually.ts";

/** The program's sources without a build. They take four times as long to start. */
export const checkout: readonly string[] = [
  process.execPath,
  join(import.meta.dir, "../../../packages/cli/src/main.ts"),
];

/** This machine's environment without any settings of Tollgate or npm. */
export function plainEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(SVC_|npm_|BUN_CONFIG|BUN_FEATURE)/.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...settings };
}

export interface FinishedCommand {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON value on stdout. */
  json(): unknown;
}

/** `svc <args>` in its own process. */
export async function svc(
  dataDir: string,
  args: readonly string[],
  settings: Record<string, string> = {},
  program: readonly string[] = [builtProgram()],
  cwd = process.cwd(),
): Promise<FinishedCommand> {
  const child = Bun.spawn([...program, ...args], {
    cwd,
    env: plainEnvironment({ SVC_DATA_DIR: dataDir, ...settings }),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) };
}

export type RunningTollgate = ReturnType<typeof startTollgate>;

/**
 * `npm start`, without npm: the supervisor and its planes, on free ports. It ends with this process, however that ends,
 * as it would with npm; a test that starts one itself ends it in `onTestFinished`, so that it ends with a failed test.
 */
export function startTollgate(
  dataDir: string,
  settings: Record<string, string> = {},
  program: readonly string[] = [builtProgram()],
  cwd = process.cwd(),
) {
  const child = Bun.spawn([...program, "start"], {
    cwd,
    env: plainEnvironment({
      SVC_DATA_DIR: dataDir,
      SVC_GATEWAY_PORT: "0",
      SVC_WEB_PORT: "0",
      // Tests that wait for something poll as often as they can.
      SVC_API_RATE_PER_MINUTE: "0",
      // Beside other tests a lower priority would only make each wait longer.
      SVC_CONTROL_NICENESS: "0",
      npm_lifecycle_event: "test",
      ...settings,
    }),
    stdout: "pipe",
    stderr: "pipe",
  });
  let stdout = "";
  let stderr = "";
  const reading = Promise.all([
    collect(child.stdout, text => {
      stdout += text;
    }),
    collect(child.stderr, text => {
      stderr += text;
    }),
  ]);
  const addresses = join(dataDir, "addresses.json");

  return {
    pid: child.pid,
    addresses,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    /** The gateway's address, once it answers. */
    async ready(): Promise<string> {
      await eventually("the gateway is up", () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stderr}`);
        return existsSync(addresses) && stdout.includes("Tollgate gateway");
      });
      return this.addressOf("gateway");
    },
    addressOf(plane: "gateway" | "web"): string {
      const known = JSON.parse(readFileSync(addresses, "utf8")) as { gateway: string; web: string };
      return known[plane];
    },
    gatewayPid: () => childRunning(child.pid, "gateway"),
    controlPid: () => childRunning(child.pid, "control"),
    sidecarPid: () => childRunning(child.pid, "sidecar"),
    kill: (signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL") => child.kill(signal),
    /** The exit code, once all its output was read. */
    async ended(): Promise<number> {
      const code = await child.exited;
      await reading;
      return code;
    },
    /** Immediately, if it is still running. */
    async end(): Promise<void> {
      child.kill("SIGKILL");
      await this.ended();
    },
    async stop(): Promise<number> {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      return await this.ended();
    },
  };
}

/** The keys printed by a first run. */
export function printedKeys(stdout: string): { live: string[]; test: string[] } {
  const lines = stdout.split("\n");
  const keys = (mode: string) =>
    lines.flatMap(line => new RegExp(`${mode} key +(sk_\\w+)$`).exec(line)?.[1] ?? []);
  return { live: keys("live"), test: keys("test") };
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie still has a pid, but runs nothing.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function childRunning(pid: number, command: string): number | null {
  const runs = (child: number) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0").includes(command);
    } catch {
      return false;
    }
  };
  return childrenOf(pid).find(runs) ?? null;
}

/** From every process's own record: the kernel's list of children misses some while others start or end. */
function childrenOf(pid: number): number[] {
  const isChild = (child: string) => {
    try {
      const stat = readFileSync(`/proc/${child}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]) === pid;
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}

async function collect(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) onText(decoder.decode(bytes, { stream: true }));
}
