import type { TierPrices } from "@tollgate/core/limits/tier-prices";
import { describeFault, type Log } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import { isProviderId } from "@tollgate/core/provider-id";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { REQUEST_TIMEOUT_MS, RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { ConfigMirror } from "@tollgate/storage/config/mirror-config";
import type {
  ControlDatabase,
  ControlDatabaseOptions,
} from "@tollgate/storage/database/open-control-database";
import { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { createProfile } from "@tollgate/storage/profile/control-profile";
import { ProfileFollower } from "@tollgate/storage/profile/follow-profile";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { LedgerFollower } from "@tollgate/storage/read-model/follow-ledger";
import { AlertWatch } from "./alerts/watch-alerts.ts";
import { createIdentity, type IdentityOptions } from "./auth/create-identity.ts";
import { createTransports, type OutgoingOptions } from "./channels/create-transports.ts";
import { DeliverySender } from "./delivery/delivery-sender.ts";
import { keepPruning } from "./delivery/prune-deliveries.ts";
import { ExperimentFollower } from "./experiments/follow-experiments.ts";
import { watchExperiments } from "./experiments/watch-experiments.ts";
import { errorResponse } from "./http/error-response.ts";
import { withSecurityHeaders } from "./http/security-headers.ts";
import type { Control } from "./kernel/context.ts";
import { SealedCursors } from "./kernel/sealed-cursors.ts";
import { isLiveRequest, LiveChannel, type LiveSocket, liveSocketHandler } from "./live/live-channel.ts";
import { EffectsFollower } from "./optimizations/follow-effects.ts";
import { TargetGuard } from "./outgoing/target-guard.ts";
import { MemoryPredictionBoard } from "./predictions/memory-prediction-board.ts";
import { watchPredictions } from "./predictions/watch-predictions.ts";
import { ledgerConsumers } from "./startup/ledger-consumers.ts";
import { openLedger } from "./startup/open-ledger.ts";
import { waitForDatabase } from "./startup/wait-for-database.ts";
import { watchFiles } from "./startup/watch-files.ts";
import { createApp, type WebApp } from "./web/create-app.ts";
import { disableWebhook } from "./webhooks/disable-webhook.ts";
import { WebhookFollower } from "./webhooks/follow-events.ts";

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
  /** Whose `X-Forwarded-For` counts; absent: nobody's. */
  readonly trustedProxies?: TrustedProxies;
  /** Requests a minute for each credential; 0 or absent: no limit. */
  readonly requestsPerMinute?: number;
  /** The operator's own prices, the same as the gateway's. */
  readonly priceOverrides?: PriceOverrides | null;
  /** What the operator takes for each tier. */
  readonly tierPrices?: TierPrices;
  /** What may be reached outside; absent: what is public, no mail, no Telegram. */
  readonly outgoing?: OutgoingOptions;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
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
  const { log, publicUrl, trustedProxies = TrustedProxies.none } = options;
  const now = options.now ?? Date.now;
  const isShared = "db" in options.database;
  const database = "db" in options.database ? options.database : await waitForDatabase(options.database, log);
  const { db, engine } = database;
  // Before the ledger is waited for: the gateway, which makes it, may be waiting for its configuration.
  const mirror = engine === "postgres" ? await startMirror(database, options) : null;
  const ledger = await openLedger(options.ledgerPath, log);
  const stopping = new AbortController();
  const bodies = new RequestBodies(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const continuity = new LedgerContinuity({ database, ledger, consumers: ledgerConsumers, now, log });
  await continuity.reconcile();

  // The address has to be known before sign-in is set up, so requests of the first moment wait for it.
  const app = Promise.withResolvers<WebApp & { readonly live: LiveChannel }>();
  const server = Bun.serve<LiveSocket>({
    hostname: options.host,
    port: options.port,
    // Our own limit answers 413 in our own words; the server's would close the connection without one.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: 120,
    // Bun's own page for a fault shows the source.
    development: false,
    // Outside of development Bun shares a port with whoever listens there: calls would be split between two ledgers.
    reusePort: false,
    error: fault => errorResponse(fault, log),
    fetch: async (request, self) => {
      const { live, fetch } = await app.promise;
      if (isLiveRequest(request)) return await live.answer(request, self);
      return await fetch(request, self.requestIP(request)?.address ?? null);
    },
    websocket: liveSocketHandler,
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
    bodies,
    trustedProxies,
    log,
    now,
  }).catch(async fault => {
    await server.stop(true);
    throw fault;
  });
  // Ordered by time: what was made in one millisecond is listed as it was made.
  const newId = () => Bun.randomUUIDv7();
  const transports = createTransports({
    db,
    now,
    publicUrl,
    onFault: fault => log("error", "a message could not be sent; trying again", describeFault(fault)),
    ...options.outgoing,
  });
  const wakeSender: Control["wakeSender"] = receivers => sender.wake(receivers);
  const sender = new DeliverySender(
    {
      db,
      engine,
      now,
      transports,
      disableWebhook: (id, why) => disableWebhook({ db, engine, now, newId, wakeSender }, id, why),
    },
    { onFault: fault => log("error", "deliveries had a fault; trying again", describeFault(fault)) },
  );
  const experiments = new ExperimentFollower(
    database,
    ledger,
    fault => log("error", "experiments could not be followed; trying again", describeFault(fault)),
    continuity,
  );
  const cursors = new SealedCursors(options.secret);
  const control: Control = {
    db,
    engine,
    readModel: createReadModel(database, ledger),
    profile: createProfile(database, ledger),
    catalogue: createCatalogue({ overrides: options.priceOverrides ?? [] }),
    tierPrices: options.tierPrices ?? {},
    now,
    newId,
    startedAt: now(),
    publicUrl,
    accounts: identity.accounts,
    cursors,
    transports,
    targetGuard: TargetGuard.of(options.outgoing?.allowedPrivateTargets),
    files: { database: database.file, ledger: ledger.file },
    continuity,
    wakeSender,
    experiments,
    predictionBoard: new MemoryPredictionBoard(),
  };
  const follower = new LedgerFollower(database, ledger, {
    continuity,
    onFault: fault => log("error", "the read model could not be written; trying again", describeFault(fault)),
  });
  const profile = new ProfileFollower(database, ledger, {
    continuity,
    contextWindowOf: (provider, model) =>
      isProviderId(provider) ? (control.catalogue.find(provider, model)?.contextWindow ?? null) : null,
    onFault: fault =>
      log("error", "the agent profile could not be written; trying again", describeFault(fault)),
  });
  const effects = new EffectsFollower(database, ledger, control.catalogue, {
    continuity,
    onFault: fault => log("error", "savings could not be added up; trying again", describeFault(fault)),
  });
  const webhooks = new WebhookFollower(database, ledger, control, {
    wake: control.wakeSender,
    continuity,
    onFault: fault => log("error", "webhooks could not be followed; trying again", describeFault(fault)),
  });
  const live = new LiveChannel({
    database,
    ledger,
    continuity,
    cursors,
    resolvePrincipal: identity.resolvePrincipal,
    answerFault: fault => withSecurityHeaders(errorResponse(fault, log), true),
    now,
    log,
  });
  const alerts = await AlertWatch.open({ control, database, ledger, follower, continuity, log });
  const background = [
    watchFiles(database, ledger, log, stopping.signal),
    continuity.run(stopping.signal),
    live.run(stopping.signal),
    sender.run(stopping.signal),
    webhooks.run(stopping.signal),
    keepPruning(
      database,
      now,
      fault => log("error", "old deliveries could not be removed; trying again", describeFault(fault)),
      stopping.signal,
    ),
    follower.run(stopping.signal),
    profile.run(stopping.signal),
    effects.run(stopping.signal),
    watchPredictions(control, log, stopping.signal),
    alerts.run(stopping.signal),
    experiments.run(stopping.signal),
    watchExperiments(control, log, stopping.signal),
    ...(mirror ? [mirror.run(stopping.signal)] : []),
  ];
  app.resolve({
    live,
    ...createApp({
      control,
      resolvePrincipal: identity.resolvePrincipal,
      identity: identity.handle,
      ownUrls: [url],
      bodies,
      trustedProxies,
      requestsPerMinute: options.requestsPerMinute ?? 0,
      ...(options.pages ? { pages: options.pages } : {}),
      log,
    }),
  });

  return {
    url,
    port,
    async stop() {
      stopping.abort();
      live.stop();
      await Promise.race([server.stop(false), Bun.sleep(PATIENCE_MS)]);
      await server.stop(true);
      await Promise.all(background);
      mirror?.close();
      if (!isShared) {
        database.emptyLog();
        await database.close();
      }
      ledger.close();
    },
  };
}

/** The gateway reads a file of its own machine, whichever engine this plane uses. */
async function startMirror(
  database: ControlDatabase,
  { controlPath, log }: ControlOptions,
): Promise<ConfigMirror> {
  const mirror = await ConfigMirror.open(database, controlPath, fault =>
    log("error", "the configuration could not be copied; trying again", describeFault(fault)),
  );
  await mirror.syncIfChanged();
  return mirror;
}
