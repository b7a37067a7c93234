import type { Log } from "@tollgate/core/log";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { ProviderId } from "@tollgate/core/provider-id";
import type { BodyRoom } from "@tollgate/core/wire/body-room";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { Directory } from "@tollgate/storage/config/directory";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Budgets } from "./budgets/budgets.ts";
import type { AnswerPace } from "./call/answer-pace.ts";
import type { Deadlines } from "./call/deadlines.ts";
import type { InFlight } from "./call/in-flight.ts";
import type { Sampler } from "./call/sampler.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { Agents } from "./limits/agents.ts";
import type { CallLimits } from "./limits/call-limits.ts";
import type { SharedBurst } from "./limits/shared-burst.ts";
import type { Metrics } from "./metrics.ts";
import type { ClusterNode } from "./node-state.ts";
import type { RefusalLog } from "./refusals/refusal-log.ts";
import type { OldConfigGuard } from "./request/old-config-guard.ts";

/** `fetch`, or the simulator in test mode: the gateway's only way out. It rejects and never throws synchronously. */
type Transport = (provider: ProviderId, path: string, init: RequestInit, orgId: string) => Promise<Response>;

/** Everything that the stages share, created once in `start-gateway.ts`. */
export interface Gateway {
  readonly ledger: Ledger;
  readonly ledgerState: LedgerState;
  readonly directory: Directory;
  /** For routing and lists; a call is priced by `prices`. */
  readonly catalogue: Catalogue;
  readonly prices: { of(orgId: string): Catalogue };
  readonly limits: CallLimits;
  /** null: this is the only gateway. */
  readonly sharedBurst: SharedBurst | null;
  readonly agents: Agents;
  readonly budgets: Budgets;
  readonly answerPace: AnswerPace;
  readonly deadlines: Deadlines;
  readonly bodies: RequestBodies;
  readonly bodyRoom: BodyRoom;
  readonly inFlight: InFlight;
  readonly sampler: Sampler;
  readonly metrics: Metrics;
  readonly refusals: RefusalLog;
  readonly log: Log;
  readonly transports: Readonly<Record<"live" | "test", Transport>>;
  readonly onDisconnect: "abort" | "drain";
  /** Where an organization changes its tier, for the 402 body. */
  readonly upgradeUrl: string;
  readonly trustedProxies: TrustedProxies;
  /** null: this is the only gateway. */
  readonly node: ClusterNode | null;
  /** null: this is the only gateway. */
  readonly oldConfigGuard: OldConfigGuard | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock, for measuring durations. */
  readonly uptimeMs: () => number;
  readonly newId: () => string;
}
