import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";
import { firstRun, welcome } from "./first-run.ts";
import { onStopSignals } from "./on-stop-signals.ts";
import { prepareControlStore } from "./open-store.ts";

const MAX_BACKOFF_MS = 5_000;

/**
 * `npm start`: prepares the data directory, runs the planes as processes of their own, starts one again if it
 * dies, and passes signals on. It takes no part in any call.
 */
export async function supervise(config: Config): Promise<number> {
  const files = dataFiles(config.dataDir);
  prepareControlStore(config);

  let port = config.gatewayPort;
  let child: Subprocess | null = null;
  let isStopping = false;
  let backoffMs = 100;
  let announced = false;

  const finish = () => {
    isStopping = true;
    child?.kill("SIGTERM");
  };
  onStopSignals(finish, () => child?.kill("SIGKILL"));
  stopWithNpm(() => {
    if (!isStopping) finish();
  });

  for (;;) {
    const started = performance.now();
    const running = Bun.spawn([process.execPath, join(import.meta.dir, "main.ts"), "gateway"], {
      env: {
        ...process.env,
        SVC_GATEWAY_PORT: String(port),
        // Bun sends at most 256 requests at once unless told otherwise: the 257th call would wait for another.
        BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? "65535",
        // Little lives long here. Collecting it on the side costs more than the short stops that it saves.
        BUN_JSC_numberOfGCMarkers: process.env.BUN_JSC_numberOfGCMarkers ?? "1",
        BUN_JSC_useConcurrentGC: process.env.BUN_JSC_useConcurrentGC ?? "0",
        // As if the machine were small: the heap is then let grow in small steps, also beyond this.
        BUN_JSC_forceRAMSize: process.env.BUN_JSC_forceRAMSize ?? "134217728",
        // Collecting costs by what lives as much as by what died: do it half as often as the smallest heap would.
        BUN_JSC_largeHeapSize: process.env.BUN_JSC_largeHeapSize ?? "29360128",
      },
      stdio: ["ignore", "inherit", "inherit"],
      ipc(message: unknown) {
        const ready = readReady(message);
        if (!ready) return;
        port = ready.port;
        if (!announced) announce(ready.url, config);
        announced = true;
        writeAddresses(files.addresses, { gateway: ready.url });
      },
    });
    child = running;
    const exitCode = await running.exited;
    if (isStopping) return exitCode;
    // It never came up (a taken port, a bad file): trying again would only repeat the message.
    if (!announced) return exitCode || 1;
    if (performance.now() - started > 10_000) backoffMs = 100;
    process.stderr.write(`the gateway ended with code ${exitCode}; starting it again\n`);
    await Bun.sleep(backoffMs);
    backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
    if (isStopping) return 0;
  }
}

/** The first keys are made only now: made before a start that fails, they would never be shown to anybody. */
function announce(url: string, config: Config): void {
  process.stdout.write(`Tollgate gateway: ${url}\n`);
  const created = firstRun(config);
  if (created) process.stdout.write(welcome(url, created));
}

/** All of it or nothing: whoever waits for the file reads it as soon as it is there. */
function writeAddresses(file: string, addresses: { readonly gateway: string }): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(addresses)}\n`);
  renameSync(`${file}.new`, file);
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
