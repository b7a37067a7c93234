import { describeFault, type Log } from "@tollgate/core/log";
import { reachableHost } from "@tollgate/core/reachable-host";
import { ConfigMirror } from "@tollgate/storage/control/mirror-config";
import type {
  ControlDatabase,
  ControlDatabaseOptions,
} from "@tollgate/storage/control/open-control-database";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { LedgerFollower } from "@tollgate/storage/read-model/follow-ledger";
import { watchBudgets } from "./alerts/watch-budgets.ts";
import { createIdentity, type IdentityOptions } from "./auth/create-identity.ts";
import type { Control } from "./context.ts";
import { openLedger } from "./open-ledger.ts";
import { waitForDatabase } from "./wait-for-database.ts";
import { createApp, type WebApp } from "./web/create-app.ts";
import { errorResponse } from "./web/error-response.ts";

export interface ControlOptions {
  readonly host: string;
  readonly port: number;
  /** Where it is; or one that is open already, and stays so: two writers in one process would block each other. */
  readonly database: ControlDatabaseOptions | ControlDatabase;
  readonly ledgerPath: string;
  /** Where the gateway reads its configuration. */
  readonly controlPath: string;
  readonly publicUrl: string;
  readonly secret: string;
  readonly oidc: IdentityOptions["oidc"];
  readonly log: Log;
  /** The dashboard; null: there is no such page. */
  readonly pages?: (request: Request) => Promise<Response | null>;
  readonly now?: () => number;
}

export interface RunningControl {
  readonly url: string;
  readonly port: number;
  /** Takes no new request, finishes those under way, and closes what it opened. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 5000;

/** The control plane: follows the ledger, keeps what is derived from it, and answers the web API. */
export async function startControl(options: ControlOptions): Promise<RunningControl> {
  const { log, publicUrl } = options;
  const now = options.now ?? Date.now;
  const isShared = "db" in options.database;
  const database = "db" in options.database ? options.database : await waitForDatabase(options.database, log);
  const { db, engine } = database;
  // Before the ledger is waited for: the gateway, which makes it, may be waiting for its configuration.
  const mirror = engine === "postgres" ? await startMirror(database, options) : null;
  const ledger = await openLedger(options.ledgerPath, log);
  const stopping = new AbortController();

  // The address has to be known before sign-in is set up, so requests of the first moment wait for it.
  const app = Promise.withResolvers<WebApp>();
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    // Our own limit answers 413 in our own words; the server's would close the connection without one.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: 120,
    // Bun's own page for a fault shows the source.
    development: false,
    error: fault => errorResponse(fault, log),
    fetch: async (request, self) =>
      (await app.promise).fetch(request, self.requestIP(request)?.address ?? null),
  });
  const port = server.port ?? options.port;
  const url = `http://${reachableHost(options.host)}:${port}`;

  const identity = await createIdentity({
    db,
    engine,
    publicUrl,
    origins: [url],
    secret: options.secret,
    oidc: options.oidc,
    log,
    now,
  }).catch(async fault => {
    await server.stop(true);
    throw fault;
  });
  const control: Control = {
    db,
    engine,
    readModel: createReadModel(database, ledger),
    now,
    // Ordered by time: what was made in one millisecond is listed as it was made.
    newId: () => Bun.randomUUIDv7(),
    startedAt: now(),
    publicUrl,
    accounts: identity.accounts,
  };
  const follower = new LedgerFollower(database, ledger, {
    onFault: fault => log("error", "the read model could not be written; trying again", describeFault(fault)),
  });
  const background = [
    follower.run(stopping.signal),
    watchBudgets(control, ledger, log, stopping.signal),
    ...(mirror ? [mirror.run(stopping.signal)] : []),
  ];
  app.resolve(
    createApp({
      control,
      resolveCaller: identity.resolveCaller,
      identity: identity.handle,
      ...(options.pages ? { pages: options.pages } : {}),
      log,
    }),
  );

  return {
    url,
    port,
    async stop() {
      stopping.abort();
      await Promise.race([server.stop(false), Bun.sleep(PATIENCE_MS)]);
      await server.stop(true);
      await Promise.all(background);
      mirror?.close();
      if (!isShared) await database.close();
      ledger.close();
    },
  };
}

/** The gateway reads a file of its own machine, whichever engine this plane uses. */
async function startMirror(
  database: ControlDatabase,
  { controlPath, log }: ControlOptions,
): Promise<ConfigMirror> {
  const mirror = new ConfigMirror(database, controlPath, fault =>
    log("error", "the configuration could not be copied; trying again", describeFault(fault)),
  );
  await mirror.syncIfChanged();
  return mirror;
}
