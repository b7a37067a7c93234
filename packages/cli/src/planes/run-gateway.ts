import { rmSync } from "node:fs";
import { startGateway } from "@tollgate/gateway/start-gateway";
import { openAllowanceBank } from "@tollgate/storage/shared-ledger/open-allowance-bank";
import { readSidecarStatus } from "@tollgate/storage/shared-ledger/sidecar-status";
import { RedisBurstCounter } from "@tollgate/storage/shared-limits/redis-burst-counter";
import type { Config } from "../config/config.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { lockPlane } from "../data-directory/lock-plane.ts";
import { prepareForRetention } from "../data-directory/prepare-for-retention.ts";
import { refuseLostLedger } from "../data-directory/refuse-lost-data.ts";
import { logToStderr } from "../output/log-to-stderr.ts";
import { listenAlone } from "./listen-alone.ts";
import { onStopSignals } from "./on-stop-signals.ts";
import { warnOfFewDescriptors } from "./warn-of-few-descriptors.ts";

/** How long calls in flight may continue after the first signal. */
const PATIENCE_MS = 60_000;

/** The gateway's process. Reports its address to the parent; ends on a signal or when the parent dies. */
export async function runGateway(config: Config): Promise<void> {
  const files = dataFiles(config.dataDir);
  const release = lockPlane(files.gatewayLock, config.dataDir);
  // A program that waits for this file must not find an earlier run's address. Only the owner may delete it.
  rmSync(files.addresses, { force: true });
  await refuseLostLedger(config);
  prepareForRetention(config, files.ledger);
  const place = { host: config.host, port: config.gatewayPort, variable: "SVC_GATEWAY_PORT" } as const;
  const { databaseUrl } = config;
  const nodeId = config.role === "gateway" ? loadOrCreateNodeId(config) : null;
  const allowanceBank =
    nodeId !== null && databaseUrl !== null ? openAllowanceBank(databaseUrl, nodeId) : null;
  const counter = config.redisUrl === null ? null : new RedisBurstCounter(config.redisUrl);
  const gateway = await listenAlone(place, () =>
    startGateway({
      host: config.host,
      port: config.gatewayPort,
      ledgerPath: files.ledger,
      controlPath: files.control,
      durability: config.durability,
      providerTimeoutMs: config.providerTimeoutMs,
      requestTimeoutMs: config.requestTimeoutMs,
      onDisconnect: config.onDisconnect,
      baseUrls: config.baseUrls,
      priceOverrides: config.priceOverrides,
      upgradeUrl: `${config.publicUrl}/settings/plan`,
      trustedProxies: config.trustedProxies,
      ...(allowanceBank && { allowanceBank, burst: { counter } }),
      ...(nodeId !== null && {
        node: {
          id: nodeId,
          maxConfigAgeMs: config.maxConfigAgeMs,
          refusesOldConfig: config.refusesOldConfig,
          sidecarStatus: () => readSidecarStatus(files.sidecarStatus),
        },
      }),
      log: logToStderr,
    }),
  );
  warnOfFewDescriptors(logToStderr);
  process.send?.({ ready: gateway.url, port: gateway.port });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    rmSync(files.addresses, { force: true });
    await gateway.stop(PATIENCE_MS);
    await allowanceBank?.close();
    release();
    process.exit(0);
  };
  // Calls that are open at an immediate exit stay journalled, and the next start settles them.
  onStopSignals(stop, () => process.exit(1));
  process.on("disconnect", stop);
}
