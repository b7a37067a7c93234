import { describeFault, type Log } from "@tollgate/core/log";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { reachableHost } from "@tollgate/core/wire/reachable-host";
import { REQUEST_TIMEOUT_MS, RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { providers } from "@tollgate/providers/registry";
import { simulate } from "@tollgate/simulator/simulate";
import { Directory } from "@tollgate/storage/config/directory";
import { type DatabaseFile, watchDatabaseFile } from "@tollgate/storage/engine/database-file";
import type { Durability } from "@tollgate/storage/engine/sqlite";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import type { AllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import type { QuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";
import type { BurstCounter } from "@tollgate/storage/shared-limits/burst-counter";
import { errorResponse } from "./answer/error-response.ts";
import { Allowances } from "./budgets/allowances.ts";
import { Budgets } from "./budgets/budgets.ts";
import { reportSpend } from "./budgets/report-spend.ts";
import { AnswerPace } from "./call/answer-pace.ts";
import { Deadlines } from "./call/deadlines.ts";
import { InFlight } from "./call/in-flight.ts";
import { recover } from "./call/recover.ts";
import type { Gateway } from "./gateway.ts";
import { Agents } from "./limits/agents.ts";
import { CallLimits } from "./limits/call-limits.ts";
import { SharedAgents } from "./limits/shared-agents.ts";
import { SharedBurst } from "./limits/shared-burst.ts";
import { SharedMonths } from "./limits/shared-months.ts";
import { Metrics } from "./metrics.ts";
import type { ClusterNode } from "./node-state.ts";
import { OrganizationPrices } from "./pricing/organization-prices.ts";
import { RefusalLog } from "./refusals/refusal-log.ts";
import { removeOldEvents } from "./remove-old-events.ts";
import { OldConfigGuard } from "./request/old-config-guard.ts";
import { answerUnknown, chatEndpoint, gatewayRoutes } from "./routes.ts";
import { Verifications } from "./verification/verifications.ts";

interface GatewayOptions {
  readonly host: string;
  readonly port: number;
  readonly ledgerPath: string;
  readonly controlPath: string;
  readonly durability: Durability;
  readonly providerTimeoutMs: number;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number;
  readonly onDisconnect: "abort" | "drain";
  readonly baseUrls: Partial<Record<ProviderId, string>>;
  readonly priceOverrides: PriceOverrides | null;
  readonly upgradeUrl: string;
  /** Absent: no proxy is trusted. */
  readonly trustedProxies?: TrustedProxies;
  readonly log: Log;
  readonly now?: () => number;
  readonly uptimeMs?: () => number;
  /** Delay between two frames of the simulator. */
  readonly simulatorPaceMs?: number;
  /** How long a call waits for a budget's headroom when only reservations use it up. */
  readonly budgetPatienceMs?: number;
  /** Divides budgets among several gateways; absent: this is the only one. */
  readonly allowanceBank?: AllowanceBank & { readonly quotas: QuotaBank };
  /** One of several gateways; absent: this is the only one. */
  readonly node?: ClusterNode;
  /** Burst limits are shared with other gateways; absent: this is the only one. */
  readonly burst?: {
    /** null: each gateway admits an equal share. */
    readonly counter: BurstCounter | null;
    readonly patienceMs?: number;
  };
}

interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** Refuses new calls, waits for those in flight, interrupts the rest, and closes the ledger. */
  stop(patienceMs: number): Promise<void>;
}

const MINUTE_MS = 60_000;

export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { log } = options;
  const now = options.now ?? Date.now;
  const directory = new Directory(options.controlPath);
  const metrics = new Metrics();
  const ledger = new Ledger(
    options.ledgerPath,
    options.durability,
    fault => log("error", "an event waits for the ledger to become writable", describeFault(fault)),
    { budgets: directory, appended: event => budgets.count(event) },
  );
  const catalogue = createCatalogue(
    options.priceOverrides === null ? {} : { overrides: options.priceOverrides },
  );
  const prices = new OrganizationPrices(catalogue, options.priceOverrides, directory);
  const uptimeMs = options.uptimeMs ?? (() => performance.now());
  const allowances =
    options.allowanceBank === undefined
      ? null
      : new Allowances({
          bank: counted(options.allowanceBank, metrics),
          changed: budget => budgets.wake(budget),
          onFault: fault =>
            log("warn", "PostgreSQL grants no allowance of a budget; retrying", describeFault(fault)),
          uptimeMs,
        });
  const renewing = new AbortController();
  void allowances?.run(renewing.signal);
  const budgets = new Budgets(directory, ledger, prices, metrics, options.budgetPatienceMs, allowances);
  const answerPace = new AnswerPace();
  for (const answer of ledger.recentPaces()) answerPace.learn(answer);
  const recovered = await recover(ledger, prices, answerPace, now());
  if (recovered > 0)
    log("warn", "calls of the last run were interrupted and have been settled", { calls: recovered });

  if (allowances !== null) {
    const onFault = (fault: unknown) =>
      log("warn", "other gateways are not told what was spent of budgets; retrying", describeFault(fault));
    void reportSpend({ directory, ledger, budgets, now, onFault }, renewing.signal);
  }

  const sharedBurst = options.burst ? shareBurst(options.burst, directory, metrics, uptimeMs, log) : null;
  void sharedBurst?.run(renewing.signal);
  const quotas = options.allowanceBank?.quotas;
  const sharedMonths = quotas
    ? new SharedMonths({
        bank: quotas,
        onFault: fault =>
          log("warn", "PostgreSQL grants no monthly calls; this gateway counts alone", describeFault(fault)),
        uptimeMs,
      })
    : null;
  void sharedMonths?.run(renewing.signal);
  const sharedAgents = quotas
    ? new SharedAgents(
        quotas,
        fault =>
          log("warn", "PostgreSQL registers no agent; this gateway counts alone", describeFault(fault)),
        uptimeMs,
      )
    : null;
  const limits = new CallLimits(
    (orgId, month) => ledger.monthlyCalls(orgId, month),
    sharedBurst,
    sharedMonths,
  );
  for (const call of ledger.recentCalls(now() - MINUTE_MS)) {
    limits.restore({ orgId: call.org_id, mode: call.mode }, call.created_at);
  }
  // Bun drops a silent connection after five minutes; our own timeout is configurable.
  const baseUrls = baseUrlsOf(options.baseUrls);
  const patient = options.providerTimeoutMs > 200_000;
  const verifications = new Verifications(() => gateway, chatEndpoint);
  const gateway: Gateway = {
    ledger,
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
    bodies: new RequestBodies(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
    inFlight: new InFlight(),
    sampler: verifications,
    metrics,
    refusals: new RefusalLog(ledger, now, log),
    log,
    transports: {
      live: (provider, path, init) =>
        fetch(baseUrls[provider] + path, patient ? { ...init, timeout: false } : init),
      test: async (provider, path, init) =>
        await simulate(
          provider,
          new Request(`http://simulator.invalid${path}`, init),
          options.simulatorPaceMs === undefined ? {} : { paceMs: options.simulatorPaceMs },
        ),
    },
    onDisconnect: options.onDisconnect,
    upgradeUrl: options.upgradeUrl,
    trustedProxies: options.trustedProxies ?? TrustedProxies.none,
    node: options.node ?? null,
    oldConfigGuard: options.node === undefined ? null : new OldConfigGuard(options.node),
    now,
    uptimeMs,
    newId: () => Bun.randomUUIDv7(),
  };

  // On several machines the history's positions are those of the shared ledger.
  const removing =
    options.node === undefined
      ? removeOldEvents({ ledger, directory, metrics, log }, renewing.signal)
      : Promise.resolve();

  const watches = [
    watchFile(ledger.file, "calls are refused until the gateway is started again", log),
    watchFile(
      directory.file,
      "keys, limits and budgets stay as they were until the gateway is started again",
      log,
    ),
  ];
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    // Our own limit answers 413; the server's would close the connection without an answer.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Idle connections are closed eventually; calls wait for a provider for less than that.
    idleTimeout: options.providerTimeoutMs < 240_000 ? 255 : 0,
    // Bun's own error page shows source code.
    development: false,
    // In production mode Bun shares a port with other listeners, which would split calls between two ledgers.
    reusePort: false,
    routes: gatewayRoutes(gateway),
    fetch: request => answerUnknown(request, gateway),
    error: fault => errorResponse(fault, gateway),
  });

  return {
    url: `http://${reachableHost(options.host)}:${server.port}`,
    port: server.port ?? options.port,
    async stop(patienceMs) {
      void server.stop(false);
      verifications.stop();
      await gateway.inFlight.drain(patienceMs, () => server.pendingRequests);
      await server.stop(true);
      gateway.deadlines.close();
      await gateway.refusals.close();
      renewing.abort();
      await removing;
      await allowances?.giveBack();
      await sharedMonths?.giveBack();
      for (const watch of watches) watch.close();
      directory.close();
      closeLedger(ledger, log);
    },
  };
}

function counted(bank: AllowanceBank, metrics: Metrics): AllowanceBank {
  return {
    async ask(request) {
      try {
        const allowance = await bank.ask(request);
        metrics.allowance("answered");
        return allowance;
      } catch (fault) {
        metrics.allowance("failed");
        throw fault;
      }
    },
  };
}

function shareBurst(
  options: NonNullable<GatewayOptions["burst"]>,
  directory: Directory,
  metrics: Metrics,
  uptimeMs: () => number,
  log: Log,
): SharedBurst {
  return new SharedBurst({
    ...options,
    liveNodes: () => directory.liveNodes,
    newSlot: () => Bun.randomUUIDv7(),
    uptimeMs,
    changed: (isCounting, fault) => {
      if (isCounting) log("info", "Redis counts calls for the burst limits of all gateways");
      else log("warn", "without Redis each gateway admits its share of burst limits", describeFault(fault));
    },
    fellBack: () => metrics.burstFallbacks++,
  });
}

function watchFile(file: DatabaseFile, consequence: string, log: Log) {
  return watchDatabaseFile(file, state => {
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

function baseUrlsOf(configured: Partial<Record<ProviderId, string>>): Record<ProviderId, string> {
  const entries = providerIds.map(id => [id, (configured[id] ?? providers[id].baseUrl).replace(/\/+$/, "")]);
  return Object.fromEntries(entries) as Record<ProviderId, string>;
}
