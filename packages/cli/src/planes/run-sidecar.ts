import { hostname, setPriority } from "node:os";
import { openLedger } from "@tollgate/control/startup/open-ledger";
import { waitForDatabase } from "@tollgate/control/startup/wait-for-database";
import { watchFiles } from "@tollgate/control/startup/watch-files";
import { describeFault } from "@tollgate/core/log";
import { GATEWAY_VERSION } from "@tollgate/gateway/version";
import { ConfigMirror } from "@tollgate/storage/config/mirror-config";
import { NodeRegister } from "@tollgate/storage/shared-ledger/node-register";
import { NodeRetention } from "@tollgate/storage/shared-ledger/node-retention";
import { shipLedger } from "@tollgate/storage/shared-ledger/ship-ledger";
import { RefusalShipping } from "@tollgate/storage/shared-ledger/ship-refusals";
import { SidecarStatusWriter } from "@tollgate/storage/shared-ledger/sidecar-status";
import type { Config } from "../config/config.ts";
import { controlDatabaseOf } from "../data-directory/control-database.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { lockPlane } from "../data-directory/lock-plane.ts";
import { logRuntimeWarnings } from "../output/log-runtime-warnings.ts";
import { logToStderr as log } from "../output/log-to-stderr.ts";
import { onStopSignals } from "./on-stop-signals.ts";

/** How long the last events may take to reach PostgreSQL when the node stops; the rest is shipped at the next start. */
const LAST_SHIPMENT_MS = 5000;

/**
 * The process beside a gateway on a machine of its own: it copies the configuration from PostgreSQL, and the ledger to
 * it. The gateway never waits for it.
 */
export async function runSidecar(config: Config): Promise<void> {
  logRuntimeWarnings();
  const files = dataFiles(config.dataDir);
  const release = lockPlane(files.sidecarLock, config.dataDir);
  setPriority(config.controlNiceness);
  const nodeId = loadOrCreateNodeId(config);
  // The gateway starts with the last copy of the configuration, even if PostgreSQL cannot be reached.
  process.send?.({ ready: "" });
  const stopping = new AbortController();
  const { signal } = stopping;
  let stopped: () => void = () => process.exit(0);
  const stop = () => {
    stopping.abort();
    stopped();
  };
  onStopSignals(
    async () => stop(),
    () => process.exit(1),
  );
  process.on("disconnect", stop);

  const database = await waitForDatabase(controlDatabaseOf(config), log, "gateway");
  const mirror = await ConfigMirror.open(database, files.control, fault =>
    log("error", "could not copy the configuration; retrying", describeFault(fault)),
  );
  const mirroring = mirror.run(signal);
  const ledger = await openLedger(files.ledger, log);
  const shipping = shipLedger(database, ledger, nodeId, {
    onFault: fault => log("error", "could not ship the ledger; retrying", describeFault(fault)),
    onReship: () =>
      log("error", "the ledger lacks events that were shipped; shipping it again from the start", {
        node_id: nodeId,
        fault: "LedgerDiverged",
      }),
  });
  const refusals = new RefusalShipping(database, ledger, nodeId, fault =>
    log("error", "could not ship refused calls; retrying", describeFault(fault)),
  );
  const register = new NodeRegister(
    database,
    { id: nodeId, host: hostname(), version: GATEWAY_VERSION },
    () => ledger.newestSeq(),
    fault => log("error", "could not report to PostgreSQL; retrying", describeFault(fault)),
    nodes => mirror.writeLiveNodes(nodes),
    host =>
      log("error", "another gateway runs with this SVC_NODE_ID: stop one of them", {
        fault: "duplicate node id",
        node_id: nodeId,
        other_host: host,
      }),
  );
  const retention = new NodeRetention(ledger, config.retentionDays);
  const status = new SidecarStatusWriter(
    files.sidecarStatus,
    database,
    nodeId,
    {
      newestSeq: () => ledger.newestSeq(),
      configurationAtMs: () => mirror.currentAtMs,
      keptFrom: (shipped, nowMs) => retention.keptFrom(shipped, nowMs),
    },
    fault => log("error", "could not write the sidecar's status; retrying", describeFault(fault)),
  );
  const running = [
    mirroring,
    watchFiles(database, ledger, log, signal),
    ...[shipping, refusals, register, status].map(one => one.run(signal)),
  ];
  const finish = async () => {
    await Promise.all(running);
    const last = Promise.allSettled([shipping.catchUp(), refusals.ship()]);
    await Promise.race([last, Bun.sleep(LAST_SHIPMENT_MS)]);
    mirror.close();
    release();
    process.exit(0);
  };
  stopped = () => void finish();
  if (signal.aborted) await finish();
}
