import { endWithBench, plainEnvironment } from "./owned-process.ts";

interface StartedServer {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Starts a script of ours that serves, in its own process, and prints its port as the first line: `{"port": 1234}`. */
export async function startServer(script: string): Promise<StartedServer> {
  const child = Bun.spawn([process.execPath, script], {
    env: plainEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const forget = endWithBench(child);
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return {
    port: readPort(script, new TextDecoder().decode(value)),
    pid: child.pid,
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
      forget();
    },
  };
}

function readPort(script: string, line: string): number {
  const said: unknown = line === "" ? null : JSON.parse(line);
  if (typeof said !== "object" || said === null || !("port" in said) || typeof said.port !== "number") {
    throw new Error(`${script} did not report its port`);
  }
  return said.port;
}
