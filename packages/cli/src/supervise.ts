import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";
import { type FirstRun, firstRun, welcome } from "./first-run.ts";

const MAX_BACKOFF_MS = 5_000;

/**
 * `npm start`: prepares the data directory, runs the planes as processes of their own, starts one again if it
 * dies, and passes signals on. It takes no part in any call.
 */
export async function supervise(config: Config): Promise<number> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const files = dataFiles(config.dataDir);
  rmSync(files.addresses, { force: true });
  const created = firstRun(config);

  let port = config.gatewayPort;
  let child: Subprocess | null = null;
  let signals = 0;
  let backoffMs = 100;
  let announced = false;

  const onSignal = () => {
    signals++;
    if (signals === 1) child?.kill("SIGTERM");
    else child?.kill("SIGKILL");
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  stopWithNpm(onSignal);

  for (;;) {
    const started = performance.now();
    const running = Bun.spawn([process.execPath, join(import.meta.dir, "main.ts"), "gateway"], {
      env: {
        ...process.env,
        SVC_GATEWAY_PORT: String(port),
        // Bun sends at most 256 requests at once unless told otherwise: the 257th call would wait for another.
        BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? "65535",
      },
      stdio: ["ignore", "inherit", "inherit"],
      ipc(message: unknown) {
        const ready = readReady(message);
        if (!ready) return;
        port = ready.port;
        writeFileSync(files.addresses, `${JSON.stringify({ gateway: ready.url })}\n`);
        if (!announced) announce(ready.url, created);
        announced = true;
      },
    });
    child = running;
    const exitCode = await running.exited;
    if (signals > 0) return signals === 1 ? exitCode : 1;
    // It never came up (a taken port, a bad file): trying again would only repeat the message.
    if (!announced) return exitCode || 1;
    if (performance.now() - started > 10_000) backoffMs = 100;
    process.stderr.write(`the gateway ended with code ${exitCode}; starting it again\n`);
    await Bun.sleep(backoffMs);
    backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
    if (signals > 0) return 0;
  }
}

function announce(url: string, created: FirstRun | null): void {
  process.stdout.write(`Tollgate gateway: ${url}\n`);
  if (created) process.stdout.write(welcome(url, created));
}

function readReady(message: unknown): { url: string; port: number } | null {
  if (typeof message !== "object" || message === null) return null;
  if (!("ready" in message) || !("port" in message)) return null;
  if (typeof message.ready !== "string" || typeof message.port !== "number") return null;
  return { url: message.ready, port: message.port };
}

/** Started by npm, we end with it: killed hard, npm cannot tell us, and would leave us behind on its ports. */
function stopWithNpm(stop: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 1000);
  timer.unref();
}
