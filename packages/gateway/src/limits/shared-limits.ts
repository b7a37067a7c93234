import type { Budget } from "@tollgate/core/budgets/budget";
import { describeFault, type Log } from "@tollgate/core/log";
import type { Directory } from "@tollgate/storage/config/directory";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { AllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import type { QuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";
import type { BurstCounter } from "@tollgate/storage/shared-limits/burst-counter";
import { Allowances } from "../budgets/allowances.ts";
import type { Metrics } from "../metrics.ts";
import { SharedAgents } from "./shared-agents.ts";
import { SharedBurst } from "./shared-burst.ts";
import { SharedMonths } from "./shared-months.ts";

export interface SharedLimitsOptions {
  /** Divides budgets among several gateways; absent: this is the only one. */
  readonly allowanceBank?: AllowanceBank & { readonly quotas: QuotaBank };
  /** Burst limits are shared with other gateways; absent: this is the only one. */
  readonly burst?: {
    /** null: each gateway admits an equal share. */
    readonly counter: BurstCounter | null;
    readonly patienceMs?: number;
  };
}

interface Parts {
  readonly directory: Directory;
  readonly ledger: Pick<Ledger, "monthlyCalls">;
  readonly metrics: Metrics;
  /** Headroom of the budget may have changed without a call. */
  readonly wake: (budget: Budget) => void;
  readonly uptimeMs: () => number;
  readonly log: Log;
}

/** What several gateways share: budgets, and the limits of tiers. All are null in the only gateway. */
interface SharedLimits {
  readonly allowances: Allowances | null;
  readonly sharedBurst: SharedBurst | null;
  readonly sharedMonths: SharedMonths | null;
  readonly sharedAgents: SharedAgents | null;
  run(signal: AbortSignal): void;
  /** This gateway stops: others can use what it does not need. */
  giveBack(): Promise<void>;
}

export function sharedLimits({ allowanceBank, burst }: SharedLimitsOptions, parts: Parts): SharedLimits {
  const { ledger, metrics, wake, uptimeMs, log } = parts;
  const warn = (message: string) => (fault: unknown) => log("warn", message, describeFault(fault));
  const allowances = allowanceBank
    ? new Allowances({
        bank: counted(allowanceBank, metrics),
        changed: wake,
        onFault: warn("could not ask PostgreSQL for a budget allowance; retrying"),
        uptimeMs,
      })
    : null;
  const sharedMonths = allowanceBank
    ? new SharedMonths({
        bank: allowanceBank.quotas,
        callsInMonth: (orgId, month) => ledger.monthlyCalls(orgId, month),
        onFault: warn("could not ask PostgreSQL for monthly calls; this gateway counts on its own"),
        uptimeMs,
      })
    : null;
  const sharedAgents = allowanceBank
    ? new SharedAgents(
        allowanceBank.quotas,
        warn("could not register an agent in PostgreSQL; this gateway counts on its own"),
        uptimeMs,
      )
    : null;
  const sharedBurst = burst ? shareBurst(burst, parts) : null;
  return {
    allowances,
    sharedBurst,
    sharedMonths,
    sharedAgents,
    run(signal) {
      for (const one of [allowances, sharedBurst, sharedMonths]) void one?.run(signal);
    },
    async giveBack() {
      await allowances?.giveBack();
      await sharedMonths?.giveBack();
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
  options: NonNullable<SharedLimitsOptions["burst"]>,
  { directory, metrics, uptimeMs, log }: Parts,
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
