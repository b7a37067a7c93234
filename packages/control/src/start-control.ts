import { describeFault } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { REQUEST_TIMEOUT_MS, RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { Directory } from "@tollgate/storage/config/directory";
import { ConfigMirror } from "@tollgate/storage/config/mirror-config";
import { newId } from "@tollgate/storage/config/new-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { createIdentity } from "./features/auth/create-identity.ts";
import { createCheckoutDesk, soldByOperator } from "./features/checkout/create-checkout-desk.ts";
import { followExperiments } from "./features/experiments/follow-experiments.ts";
import {
  isLiveRequest,
  LiveChannel,
  type LiveSocket,
  liveSocketHandler,
} from "./features/live/live-channel.ts";
import { followPairs } from "./features/verification/follow-pairs.ts";
import { errorResponse } from "./server/http/error-response.ts";
import { withSecurityHeaders } from "./server/http/security-headers.ts";
import { createApp, type WebApp } from "./server/web/create-app.ts";
import { BackgroundJobs } from "./startup/background-jobs.ts";
import type { ControlOptions } from "./startup/control-options.ts";
import { copySharedLedger } from "./startup/copy-shared-ledger.ts";
import { createControl } from "./startup/create-control.ts";
import { ledgerRepairs } from "./startup/ledger-repairs.ts";
import { listOlderCalls } from "./startup/list-older-calls.ts";
import { openLedger } from "./startup/open-ledger.ts";
import { waitForDatabase } from "./startup/wait-for-database.ts";
import { watchFiles } from "./startup/watch-files.ts";

export interface RunningControl {
  readonly url: string;
  readonly port: number;
  /** Accepts no new requests, finishes those in flight, and closes what it opened. */
  stop(): Promise<void>;
}

const SHUTDOWN_GRACE_MS = 5000;

/** Starts the control plane: the ledger's followers, the web API and background work. */
export async function startControl(options: ControlOptions): Promise<RunningControl> {
  const { log, trustedProxies = TrustedProxies.none } = options;
  const now = options.now ?? Date.now;
  const isOpenedByCaller = "db" in options.database;
  const database = "db" in options.database ? options.database : await waitForDatabase(options.database, log);
  // Before `openLedger`: the gateway, which creates the ledger, may be waiting for its configuration.
  const mirror = database.engine === "postgres" ? await startMirror(database, options) : null;
  const copiedKeys = mirror && new Directory(options.controlPath);
  const copy = options.copiesLedger ? await copySharedLedger(database, options, log) : null;
  const ledger = await openLedger(options.ledgerPath, log);
  const continuity = new LedgerContinuity({
    database,
    ledger,
    repairs: ledgerRepairs,
    ...(copy && { refresh: copy.refresh, isCopyDiverged: () => copy.isDiverged }),
    now,
    log,
  });
  await continuity.reconcile();
  await listOlderCalls(database, log);

  // Sign-in needs the address, so the server starts first and its first requests wait for `app`.
  const app = Promise.withResolvers<WebApp & { readonly live: LiveChannel }>();
  const { server, port, url } = serve(options, app.promise);
  const bodyRoom = BodyRoom.ofMachine(process.constrainedMemory());
  const bodies = new RequestBodies(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS, bodyRoom);
  const identity = await createIdentity({
    db: database.db,
    engine: database.engine,
    publicUrl: options.publicUrl,
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

  const following = {
    continuity,
    onFault: (fault, reader) =>
      log("error", "a ledger follower had a fault; retrying", { reader, ...describeFault(fault) }),
  } satisfies FollowerOptions;
  const catalogue = createCatalogue({ overrides: options.priceOverrides ?? [] });
  const experiments = followExperiments(database, ledger, following);
  const verifications = followPairs(database, ledger, { catalogue, newId, now }, following);
  const followers = () => [...jobs.followers, live.follower];
  const { control, sender } = createControl({
    options,
    database,
    ledger,
    continuity,
    catalogue,
    experiments,
    verifications,
    isFollowerStuck: () => copy?.isStuck === true || followers().some(({ isStuck }) => isStuck),
    accounts: identity.accounts,
    checkout: await createCheckoutDesk(options.checkout ?? soldByOperator, {
      publicUrl: options.publicUrl,
      now,
      log,
    }),
    newId,
    now,
  });
  const { cursors } = control;
  const { resolvePrincipal } = identity;
  const live = new LiveChannel({
    database,
    ledger,
    continuity,
    cursors,
    resolvePrincipal,
    answerFault: fault => withSecurityHeaders(errorResponse(fault, log), true),
    now,
    uptimeMs: options.uptimeMs ?? (() => performance.now()),
    log,
  });
  const jobs = new BackgroundJobs({
    control,
    database,
    ledger,
    following,
    experiments,
    verifications,
    sender,
    callGateway: options.callGateway ?? null,
    retentionDays: options.retentionDays ?? null,
    copy,
    log,
  });

  const stopping = new AbortController();
  const { signal } = stopping;
  const working = jobs.run(signal);
  const running = [
    working,
    ...[live, continuity, mirror, copy].map(one => one?.run(signal)),
    watchFiles(database, ledger, log, signal),
  ];
  app.resolve({
    live,
    ...createApp({
      control,
      followers,
      leadsJobs: () => jobs.isLeading,
      resolvePrincipal,
      ...(copiedKeys && { copiedKeys }),
      identity: identity.handle,
      ownUrls: [url],
      bodies,
      trustedProxies,
      requestsPerMinute: options.requestsPerMinute ?? 0,
      ...(options.pages ? { pages: options.pages } : {}),
      log,
    }),
  });

  await Promise.race([jobs.begun, working]);
  return {
    url,
    port,
    async stop() {
      stopping.abort();
      live.stop();
      await Promise.race([server.stop(false), Bun.sleep(SHUTDOWN_GRACE_MS)]);
      await server.stop(true);
      await Promise.all(running);
      copiedKeys?.close();
      mirror?.close();
      copy?.close();
      if (!isOpenedByCaller) {
        database.emptyLog();
        await database.close();
      }
      ledger.close();
    },
  };
}

function serve(
  { host, port, log }: ControlOptions,
  app: Promise<WebApp & { readonly live: LiveChannel }>,
): { readonly server: Bun.Server<LiveSocket>; readonly port: number; readonly url: string } {
  const server = Bun.serve<LiveSocket>({
    hostname: host,
    port,
    // Our own limit answers with a 413; the server's would just close the connection.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: 120,
    // Bun's error page would show source code.
    development: false,
    // In production mode Bun shares a port with other listeners, which would split requests between two control planes.
    reusePort: false,
    error: fault => errorResponse(fault, log),
    fetch: async (request, server) => {
      const { live, fetch } = await app;
      if (isLiveRequest(request)) return await live.answer(request, server);
      return await fetch(request, server.requestIP(request)?.address ?? null);
    },
    websocket: liveSocketHandler,
  });
  const bound = server.port ?? port;
  return { server, port: bound, url: `http://${reachableHost(host)}:${bound}` };
}

/** The gateway reads a local file, whichever engine this plane uses. */
async function startMirror(
  database: ControlDatabase,
  { controlPath, log }: ControlOptions,
): Promise<ConfigMirror> {
  const mirror = await ConfigMirror.open(database, controlPath, fault =>
    log("error", "could not copy the configuration; retrying", describeFault(fault)),
  );
  await mirror.syncIfChanged();
  return mirror;
}
