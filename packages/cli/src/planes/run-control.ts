import { rmSync } from "node:fs";
import { setPriority } from "node:os";
import type { CallGateway } from "@tollgate/control/features/demo/gateway-client";
import { startControl } from "@tollgate/control/start-control";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { serveDashboard } from "@tollgate/dashboard/serve-dashboard";
import type { Config } from "../config/config.ts";
import { controlDatabaseOf } from "../data-directory/control-database.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateSecret } from "../data-directory/load-or-create-secret.ts";
import { lockPlane } from "../data-directory/lock-plane.ts";
import { prepareForRetention } from "../data-directory/prepare-for-retention.ts";
import { refuseLostControl } from "../data-directory/refuse-lost-data.ts";
import { logRuntimeWarnings } from "../output/log-runtime-warnings.ts";
import { logToStderr } from "../output/log-to-stderr.ts";
import { listenAlone } from "./listen-alone.ts";
import { onStopSignals } from "./on-stop-signals.ts";

/** The control plane's process. Reports its address to the parent; ends on a signal or when the parent dies. */
export async function runControl(config: Config): Promise<void> {
  logRuntimeWarnings();
  const files = dataFiles(config.dataDir);
  const release = lockPlane(files.controlLock, config.dataDir);
  // As a gateway does. Beside a gateway, the file outlives this process.
  const forgetAddresses = () => {
    if (config.role === "control") rmSync(files.addresses, { force: true });
  };
  forgetAddresses();
  refuseLostControl(config);
  setPriority(config.controlNiceness);
  prepareForRetention(config, files.control);
  if (config.role === "control") prepareForRetention(config, files.ledger);
  const place = { host: config.host, port: config.webPort, variable: "SVC_WEB_PORT" } as const;
  const control = await listenAlone(place, () =>
    startControl({
      host: config.host,
      port: config.webPort,
      database: controlDatabaseOf(config),
      controlPath: files.control,
      ledgerPath: files.ledger,
      redisUrl: config.redisUrl,
      copiesLedger: config.role === "control",
      publicUrl: config.publicUrl,
      gatewayUrl: config.publicGatewayUrl,
      secret: loadOrCreateSecret(config),
      oidc: config.oidc,
      trustedProxies: config.trustedProxies,
      requestsPerMinute: config.apiRatePerMinute,
      priceOverrides: config.priceOverrides,
      tierPrices: config.tierPrices,
      checkout: config.checkout,
      freeVerifications: config.freeVerifications,
      outgoing: {
        allowedPrivateTargets: config.allowedPrivateTargets,
        smtpUrl: config.smtpUrl,
        telegram: config.telegram,
      },
      requestTimeoutMs: config.requestTimeoutMs,
      retentionDays: config.retentionDays,
      ...(config.role === "all" ? { callGateway: gatewayOf(config) } : {}),
      pages: serveDashboard,
      log: logToStderr,
    }),
  );
  process.send?.({ ready: control.url });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    forgetAddresses();
    await control.stop();
    release();
    process.exit(0);
  };
  onStopSignals(stop, () => process.exit(1));
  process.on("disconnect", stop);
}

/** The gateway beside this plane; with any other role it runs on another machine. */
function gatewayOf({ host, gatewayPort }: Config): CallGateway {
  return (path, init) => fetch(`http://${reachableHost(host)}:${gatewayPort}${path}`, init);
}
