import { describeFault, type Log } from "@tollgate/core/log";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { FollowerOptions, FollowerStatus } from "@tollgate/storage/following/follower";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followProfile } from "@tollgate/storage/profile/follow-profile";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { watchSilentNodes } from "@tollgate/storage/shared-ledger/account-for-silent";
import { followObeyed } from "../features/actuations/follow-obeyed.ts";
import { AlertWatch } from "../features/alerts/watch-alerts.ts";
import { followSwitches } from "../features/breaker/follow-switches.ts";
import { watchDemos } from "../features/demo/watch-demos.ts";
import type { followExperiments } from "../features/experiments/follow-experiments.ts";
import { watchExperiments } from "../features/experiments/watch-experiments.ts";
import { followEffects } from "../features/optimizations/follow-effects.ts";
import { watchPredictions } from "../features/predictions/watch-predictions.ts";
import { watchProposals } from "../features/proposals/watch-proposals.ts";
import { keepPruningReports } from "../features/reports/prune-reports.ts";
import type { followPairs } from "../features/verification/follow-pairs.ts";
import { followServedModels } from "../features/verification/follow-served-models.ts";
import { watchRequests } from "../features/verification/watch-requests.ts";
import { followEvents } from "../features/webhooks/follow-events.ts";
import type { Control } from "../kernel/context.ts";
import type { DeliverySender } from "../messaging/delivery/delivery-sender.ts";
import { keepPruning } from "../messaging/delivery/prune-deliveries.ts";
import { callInProcess } from "../server/mcp/call-in-process.ts";
import type { ControlOptions } from "./control-options.ts";
import type { RunningCopy } from "./copy-shared-ledger.ts";
import { endInterruptedClosing, watchRetention } from "./watch-retention.ts";

interface Parts {
  readonly control: Control;
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly following: FollowerOptions & { readonly continuity: LedgerContinuity };
  readonly experiments: ReturnType<typeof followExperiments>;
  readonly verifications: ReturnType<typeof followPairs>;
  readonly sender: DeliverySender;
  /** null: the gateway is on another machine. */
  readonly callGateway: ControlOptions["callGateway"] | null;
  readonly retentionDays: number | null;
  /** The ledger is a copy of the one in PostgreSQL; null: it is not. */
  readonly copy: Pick<RunningCopy, "isStuck"> | null;
  readonly log: Log;
}

const standingBy = {
  another: "another control plane does the background work; standing by",
  newer: "a newer version has migrated the database; control planes of that version do the background work",
};

/** What runs without a request. Of several control planes one at a time does it all; another takes over if it dies. */
export class BackgroundJobs {
  readonly #followers;
  readonly #readModel;
  readonly #begun = Promise.withResolvers<void>();
  #running: readonly FollowerStatus[] = [];

  constructor(private readonly parts: Parts) {
    const { control, database, ledger, following, experiments, verifications } = parts;
    const { now, catalogue } = control;
    this.#readModel = followReadModel(database, ledger, following);
    this.#followers = [
      this.#readModel,
      followProfile(database, ledger, { ...following, contextWindowOf: contextWindows(catalogue) }),
      followEffects(database, ledger, control, following),
      followEvents(database, ledger, control, following),
      followObeyed(database, ledger, now, following),
      experiments,
      verifications,
      followServedModels(database, ledger, now, following),
      followSwitches({ database, ledger, readModel: this.#readModel, control, log: parts.log }, following),
    ];
  }

  /** Those that run here; none while another control plane does the work. */
  get followers(): readonly FollowerStatus[] {
    return this.#running;
  }

  /** Whether they run here. */
  get isLeading(): boolean {
    return this.#running.length > 0;
  }

  /** Resolves once the jobs run, here or elsewhere. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  run(signal: AbortSignal): Promise<void> {
    const { database, copy, log } = this.parts;
    let leaders: "us" | "another" | "newer" | null = null;
    return database.lead(signal, {
      work: async term => {
        if (leaders !== null && leaders !== "us")
          log("info", "this control plane takes over the background work");
        leaders = "us";
        await this.#work(term);
      },
      // All followers read the copy.
      isStuck: () => copy?.isStuck === true,
      onStandby: now => {
        if (leaders !== now) log("info", standingBy[now]);
        leaders = now;
        this.#begun.resolve();
      },
      onFault: fault => log("error", "the background work was interrupted; retrying", describeFault(fault)),
    });
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { control, database, ledger, following, sender, retentionDays, log } = this.parts;
    await endInterruptedClosing(database);
    const alerts = await AlertWatch.open({
      control,
      database,
      ledger,
      readModel: this.#readModel,
      continuity: following.continuity,
      log,
    });
    this.#running = [...this.#followers, alerts.follower];
    this.#begun.resolve();
    try {
      await Promise.all([
        ...[...this.#followers, alerts, sender].map(one => one.run(signal)),
        watchExperiments(control, log, signal),
        watchRequests(control, log, signal),
        watchPredictions(control, log, signal),
        watchProposals(control, log, signal),
        watchDemos(
          {
            control,
            ledger,
            callAs: principal => callInProcess({ control, log }, principal),
            callGateway: this.parts.callGateway ?? null,
            log,
          },
          signal,
        ),
        ...(retentionDays === null
          ? []
          : [
              watchRetention(
                {
                  database,
                  ledger,
                  days: retentionDays,
                  now: control.now,
                  readers: [...this.#followers, alerts.follower],
                  isShared: this.parts.copy !== null,
                  log,
                },
                signal,
              ),
            ]),
        ...(this.parts.copy
          ? [
              watchSilentNodes(
                database,
                fault =>
                  log("error", "could not account for silent gateways; retrying", describeFault(fault)),
                signal,
              ),
            ]
          : []),
        keepPruning(
          database,
          control.now,
          fault => log("error", "could not delete old deliveries; retrying", describeFault(fault)),
          signal,
        ),
        keepPruningReports(
          database.db,
          control.now,
          fault => log("error", "could not delete old reports; retrying", describeFault(fault)),
          signal,
        ),
      ]);
    } finally {
      this.#running = [];
    }
  }
}

/** In tokens; null: unknown. */
function contextWindows(catalogue: Catalogue): (provider: string, model: string) => number | null {
  return (provider, model) =>
    isProviderId(provider) ? (catalogue.find(provider, model)?.contextWindow ?? null) : null;
}
