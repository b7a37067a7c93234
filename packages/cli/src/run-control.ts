import { constants, setPriority } from "node:os";
import { startControl } from "@tollgate/control/start-control";
import { serveDashboard } from "@tollgate/dashboard/serve-dashboard";
import type { Config } from "./config.ts";
import { controlDatabaseOf } from "./control-database.ts";
import { dataFiles } from "./data-files.ts";
import { keepSecret } from "./keep-secret.ts";
import { listenAlone } from "./listen-alone.ts";
import { logToStderr } from "./log-to-stderr.ts";
import { onStopSignals } from "./on-stop-signals.ts";
import { ownPlane } from "./own-plane.ts";

/** The control plane's process. Tells its parent where it listens; ends when told to, or when the parent is gone. */
export async function runControl(config: Config): Promise<void> {
  const files = dataFiles(config.dataDir);
  const release = ownPlane(files.controlLock, config.dataDir);
  // Calls come first: what is derived from them can wait for a busy moment to pass.
  setPriority(constants.priority.PRIORITY_LOW);
  const place = { host: config.host, port: config.webPort, variable: "SVC_WEB_PORT" } as const;
  const control = await listenAlone(place, () =>
    startControl({
      host: config.host,
      port: config.webPort,
      database: controlDatabaseOf(config),
      controlPath: files.control,
      ledgerPath: files.ledger,
      publicUrl: config.publicUrl,
      secret: keepSecret(config),
      oidc: config.oidc,
      priceOverrides: config.priceOverrides,
      outgoing: {
        allowedPrivateTargets: config.allowedPrivateTargets,
        smtpUrl: config.smtpUrl,
        telegram: config.telegram,
      },
      pages: serveDashboard,
      log: logToStderr,
    }),
  );
  process.send?.({ ready: control.url });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await control.stop();
    release();
    process.exit(0);
  };
  onStopSignals(stop, () => process.exit(1));
  process.on("disconnect", stop);
}
