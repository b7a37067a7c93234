import { describeFault, type Log } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { RequestBodies } from "@tollgate/core/wire/request-bodies";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { Directory } from "@tollgate/storage/config/directory";
import { CHECK_FILE_EVERY_MS, type DatabaseFile, fileCheck } from "@tollgate/storage/engine/database-file";
import type { Durability } from "@tollgate/storage/engine/sqlite";
import { removeOldEvents } from "@tollgate/storage/following/remove-old-events";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { errorResponse } from "./answer/error-response.ts";
import { Budgets } from "./budgets/budgets.ts";
import { reportSpend } from "./budgets/report-spend.ts";
import { AnswerPace } from "./call/answer-pace.ts";
import { Deadlines } from "./call/deadlines.ts";
import { InFlight } from "./call/in-flight.ts";
import { recover } from "./call/recover.ts";
import { createTransports, type TransportOptions } from "./create-transports.ts";
import type { Gateway } from "./gateway.ts";
import { LedgerState } from "./ledger-state.ts";
import { Agents } from "./limits/agents.ts";
import { CallLimits } from "./limits/call-limits.ts";
import { type SharedLimitsOptions, sharedLimits } from "./limits/shared-limits.ts";
import { Metrics } from "./metrics.ts";
import type { ClusterNode } from "./node-state.ts";
import { OrganizationPrices } from "./pricing/organization-prices.ts";
import { RefusalLog } from "./refusals/refusal-log.ts";
import { OldConfigGuard } from "./request/old-config-guard.ts";
import { answerUnknown, chatEndpoint, gatewayRoutes } from "./routes.ts";
import { startHttpClient } from "./start-http-client.ts";
import { Verifications } from "./verification/verifications.ts";

const LAST_EVENTS_MS = 1000;

interface GatewayOptions extends SharedLimitsOptions, TransportOptions {
  readonly host: string;
  readonly port: number;
  readonly ledgerPath: string;
  readonly controlPath: string;
  readonly durability: Durability;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** Absent: as the machine's memory allows. */
  readonly bodyRoom?: BodyRoom;
  readonly onDisconnect: "abort" | "drain";
  readonly priceOverrides: PriceOverrides | null;
  readonly upgradeUrl: string;
  readonly trustedProxies: TrustedProxies;
  readonly log: Log;
  readonly now?: () => number;
  readonly uptimeMs?: () => number;
  /** How long a call waits for a budget's headroom when only reservations use it up. */
  readonly budgetPatienceMs?: number;
  /** One of several gateways; absent: this is the only one. */
  readonly node?: ClusterNode;
}

interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** Refuses new calls, waits for those in flight, interrupts the rest, and closes the ledger. */
  stop(patienceMs: number): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { log } = options;
  const now = options.now ?? Date.now;
  const directory = new Directory(options.controlPath);
  const metrics = new Metrics();
  const ledger = new Ledger(
    options.ledgerPath,
    options.durability,
    fault => {
      log("error", "an event waits for the ledger to become writable", describeFault(fault));
      void ledgerState.check();
    },
    { budgets: directory, appended: event => budgets.count(event) },
  );
  if (ledger.lostIntents !== null) {
    const exception = ledger.lostIntents === "damaged" ? ", unless they could be read" : "";
    log(
      "error",
      `${options.ledgerPath}-intents was ${ledger.lostIntents}: calls that were in flight when the gateway last ran are neither listed nor counted in budgets${exception}`,
    );
  }
  const ledgerState = new LedgerState(ledger, log);
  const catalogue = createCatalogue(
    options.priceOverrides === null ? {} : { overrides: options.priceOverrides },
  );
  const prices = new OrganizationPrices(catalogue, options.priceOverrides, directory);
  const uptimeMs = options.uptimeMs ?? (() => performance.now());
  const shared = sharedLimits(options, {
    directory,
    ledger,
    metrics,
    wake: budget => budgets.wake(budget),
    uptimeMs,
    log,
  });
  const { allowances, sharedBurst, sharedMonths, sharedAgents } = shared;
  const budgets = new Budgets(directory, ledger, prices, metrics, options.budgetPatienceMs, allowances);
  const answerPace = new AnswerPace();
  for (const answer of ledger.recentPaces()) answerPace.learn(answer);
  const recovered = await recover(ledger, prices, answerPace, now());
  if (recovered > 0)
    log("warn", "calls of the last run were interrupted and have been settled", { calls: recovered });

  const stopping = new AbortController();
  shared.run(stopping.signal);
  if (allowances !== null) {
    const onFault = (fault: unknown) =>
      log("warn", "could not report budget spend to the other gateways; retrying", describeFault(fault));
    void reportSpend({ directory, ledger, budgets, now, onFault }, stopping.signal);
  }

  const limits = new CallLimits(
    (orgId, month) => ledger.monthlyCalls(orgId, month),
    sharedBurst,
    sharedMonths,
  );
  for (const call of ledger.recentCalls(now() - MINUTE_MS)) {
    limits.restore({ orgId: call.org_id, mode: call.mode }, call.created_at);
  }
  const bodyRoom = options.bodyRoom ?? BodyRoom.ofMachine(process.constrainedMemory());
  const verifications = new Verifications(() => gateway, chatEndpoint);
  const gateway: Gateway = {
    ledger,
    ledgerState,
    directory,
    catalogue,
    prices,
    limits,
    sharedBurst,
    agents: new Agents(
      ledger,
      options.upgradeUrl,
      (orgId, mode) => directory.rulesOf(orgId, mode).archivedAgents,
      sharedAgents,
    ),
    budgets,
    answerPace,
    deadlines: new Deadlines(options.providerTimeoutMs),
    bodies: new RequestBodies(options.requestTimeoutMs, bodyRoom),
    bodyRoom,
    inFlight: new InFlight(),
    sampler: verifications,
    metrics,
    refusals: new RefusalLog(ledger, now, log),
    log,
    transports: createTransports(options),
    onDisconnect: options.onDisconnect,
    upgradeUrl: options.upgradeUrl,
    trustedProxies: options.trustedProxies,
    node: options.node ?? null,
    oldConfigGuard: options.node === undefined ? null : new OldConfigGuard(options.node),
    now,
    uptimeMs,
    newId: () => Bun.randomUUIDv7(),
  };

  const { node } = options;
  const removing = removeOldEvents(
    {
      ledger,
      // On several machines the history has the shared ledger's positions, and the sidecar knows what was shipped.
      beginning: () =>
        node === undefined ? directory.ledgerBeginning() : (node.sidecarStatus()?.keptFrom ?? null),
      onRemoved: events => {
        metrics.removedEvents += events;
      },
      log,
    },
    stopping.signal,
  );

  const fileChecks = [
    checkOf(ledger.file, "calls are refused until the gateway is started again", log),
    checkOf(
      directory.file,
      "keys, limits and budgets stay as they were until the gateway is started again",
      log,
    ),
  ];
  const watchingFiles = setInterval(() => {
    for (const check of fileChecks) check();
  }, CHECK_FILE_EVERY_MS);
  watchingFiles.unref();
  await startHttpClient();
  const { server, port, url } = serve(options, gateway);

  return {
    url,
    port,
    async stop(patienceMs) {
      void server.stop(false);
      verifications.stop();
      await gateway.inFlight.drain(patienceMs, () => server.pendingRequests);
      await server.stop(true);
      // Only this disconnects clients that read nothing, which settles their calls.
      await gateway.inFlight.settled(gateway.inFlight.all(), LAST_EVENTS_MS);
      gateway.deadlines.close();
      await gateway.refusals.close();
      stopping.abort();
      await removing;
      await shared.giveBack();
      ledgerState.close();
      clearInterval(watchingFiles);
      closeLedger(ledger, log);
      // Last: the ledger counts events toward its budgets.
      directory.close();
    },
  };
}

function serve({ host, port, providerTimeoutMs }: GatewayOptions, gateway: Gateway) {
  const server = Bun.serve({
    hostname: host,
    port,
    // Our own limit answers 413; the server's would close the connection without an answer.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Idle connections are closed eventually; calls wait for a provider for less than that.
    idleTimeout: providerTimeoutMs < 240_000 ? 255 : 0,
    // Bun's own error page shows source code.
    development: false,
    // In production mode Bun shares a port with other listeners, which would split calls between two ledgers.
    reusePort: false,
    routes: gatewayRoutes(gateway),
    fetch: request => answerUnknown(request, gateway),
    error: fault => errorResponse(fault, gateway),
  });
  const bound = server.port ?? port;
  return { server, port: bound, url: `http://${reachableHost(host)}:${bound}` };
}

function checkOf(file: DatabaseFile, consequence: string, log: Log): () => void {
  return fileCheck(file, state => {
    if (state === "there") log("info", `${file.path} is back`);
    else log("error", `${file.path} is ${state}: ${consequence}`);
  });
}

function closeLedger(ledger: Ledger, log: Log): void {
  const { savedTo, fault } = ledger.close();
  if (savedTo !== null) log("warn", `the events of the lost ledger were saved to ${savedTo}`);
  if (fault === null) return;
  const failure = ledger.file.isLost
    ? "the events of the lost ledger could not be saved"
    : "the ledger's write-ahead log could not be emptied; the events in it are safe";
  log("error", failure, describeFault(fault));
}
