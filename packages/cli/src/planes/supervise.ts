import { renameSync, writeFileSync } from "node:fs";
import { describeFault } from "@tollgate/core/log";
import { untilAvailable } from "@tollgate/storage/following/until-available";
import { refuseUnfinishedRestore } from "../backup/unfinished-restore.ts";
import { type Config, readConfig } from "../config/config.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { becomeInstance, type InstanceAddresses } from "../data-directory/instance.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { makeDataDirectory, prepareControlStore } from "../data-directory/open-store.ts";
import { rememberPricesInUse } from "../data-directory/prices-in-use.ts";
import { refuseLostData } from "../data-directory/refuse-lost-data.ts";
import { refuseUnfinishedMigration } from "../migrate/unfinished-directory.ts";
import { logToStderr } from "../output/log-to-stderr.ts";
import { announce } from "./first-run.ts";
import { cannotListen } from "./listen-alone.ts";
import { onStopSignals } from "./on-stop-signals.ts";
import { PlaneProcess } from "./plane-process.ts";

/**
 * `npm start`: prepares the data directory, runs the planes as separate processes, restarts one that dies, and
 * forwards signals. It takes no part in any call.
 */
export async function supervise(config: Config): Promise<number> {
  makeDataDirectory(config);
  // Before anything is read or changed there: another instance may own the directory.
  const release = becomeInstance(config.dataDir);
  try {
    refuseUnfinishedRestore(config.dataDir);
    refuseUnfinishedMigration(config.dataDir);
    return await runPlanes(config);
  } finally {
    release();
  }
}

async function runPlanes(given: Config): Promise<number> {
  const parent = process.ppid;
  // Chosen before either plane starts: both use the web address in responses, and a restarted plane must keep its port.
  const environment = {
    SVC_WEB_PORT: String(given.webPort || freePort(given.host, 0)),
    SVC_GATEWAY_PORT: String(given.gatewayPort || freePort(given.host, 1)),
  };
  const config = readConfig({ ...process.env, ...environment });
  const files = dataFiles(config.dataDir);
  // Before both processes that need it.
  if (config.role === "gateway") loadOrCreateNodeId(config);
  await untilAvailable(
    () => refuseLostData(config),
    fault => {
      const wait = `${fault.message}; retrying: only the database says whether ledger.db was lost`;
      logToStderr("error", wait, describeFault(fault));
    },
  );
  await prepareControlStore(config);

  const names = planesOf[config.role];
  const addresses: { gateway: string | null; web: string | null } = { gateway: null, web: null };
  let announced = false;
  const onReady = async (plane: "gateway" | "web", url: string) => {
    addresses[plane] = url;
    const { gateway, web } = addresses;
    const isComplete = names.every(name => name === "sidecar" || addresses[placeOf[name]] !== null);
    if (!isComplete) return;
    if (!announced) {
      announced = true;
      // The first keys are created only now: created before a failed start, they would never be shown.
      await announce({ gateway, web }, config);
      // What prepared the start is not needed any more.
      Bun.gc(true);
      Bun.shrink();
    }
    rememberPricesInUse(config);
    writeAddresses(files.addresses, { gateway, web, public: config.publicUrl });
  };

  const planes = names.map(
    name =>
      new PlaneProcess({
        name,
        environment: name === "gateway" ? { ...environment, ...gatewayRuntime() } : environment,
        onReady: url => {
          if (name !== "sidecar") void onReady(placeOf[name], url);
        },
      }),
  );

  let isStopping = false;
  const finish = () => {
    isStopping = true;
    for (const plane of planes) plane.finish();
  };
  onStopSignals(finish, () => {
    for (const plane of planes) plane.kill();
  });
  stopWithNpm(parent, () => {
    if (!isStopping) finish();
  });

  // A plane that never becomes ready ends the start with its own exit code; the other plane's code only says that it was
  // stopped.
  let failure: number | null = null;
  const runs = planes
    .map(plane => plane.run())
    .map(async run => {
      const exitCode = await run;
      if (!isStopping) {
        failure = exitCode;
        finish();
      }
      return exitCode;
    });
  const exitCodes = await Promise.all(runs);
  return failure ?? exitCodes.find(code => code !== 0) ?? 0;
}

/** The processes of each role. A sidecar beside the gateway does what the control plane does on a single machine. */
const planesOf = {
  all: ["gateway", "control"],
  gateway: ["gateway", "sidecar"],
  control: ["control"],
} as const;

const placeOf = { gateway: "gateway", control: "web" } as const;

/** How Bun runs the gateway. Values set by the operator win. */
function gatewayRuntime(): Record<string, string> {
  const { env } = process;
  return {
    // Bun's default is 256 concurrent requests: the 257th call would wait for another.
    BUN_CONFIG_MAX_HTTP_REQUESTS: env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? "65535",
    // Few objects live long, so concurrent marking costs more than the short pauses that it avoids.
    BUN_JSC_numberOfGCMarkers: env.BUN_JSC_numberOfGCMarkers ?? "1",
    BUN_JSC_useConcurrentGC: env.BUN_JSC_useConcurrentGC ?? "0",
    // As if the machine were small: the heap then grows in small steps, even beyond this size.
    BUN_JSC_forceRAMSize: env.BUN_JSC_forceRAMSize ?? "134217728",
    // Few objects survive, so a small heap is as cheap to collect as a large one. But it must be about three times as
    // large as what survives (11 MB): in half of this, every second collection was a full one, a fifth of all CPU time.
    BUN_JSC_largeHeapSize: env.BUN_JSC_largeHeapSize ?? "33554432",
  };
}

/** Below the ephemeral port range: an outgoing connection could take such a port before the plane does. */
const FREE_PORTS = { from: 10_240, count: 22_528 };
const PORT_TRIES = 100;

/**
 * The search starts at a port derived from the process id: two instances that start at the same time would otherwise
 * find the same port free, and one of their planes could not listen.
 */
function freePort(host: string, plane: 0 | 1): number {
  for (let tries = 0; ; tries++) {
    const port = FREE_PORTS.from + ((process.pid * 2 + plane + tries * 1000) % FREE_PORTS.count);
    try {
      Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } }).stop(true);
      return port;
    } catch (fault) {
      if (tries === PORT_TRIES) throw cannotListen(host, fault);
    }
  }
}

/** Written atomically: a program that waits for the file reads it as soon as it exists. */
function writeAddresses(file: string, addresses: InstanceAddresses): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(addresses)}\n`);
  renameSync(`${file}.new`, file);
}

/** Ends when npm does: a killed npm cannot forward a signal, and this process would keep its ports. */
function stopWithNpm(parent: number, stop: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 1000);
  timer.unref();
}
