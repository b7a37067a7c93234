import type { auditClients } from "@tollgate/core/contract/audit";
import type { Role } from "@tollgate/core/contract/operation";
import type { TierPrices } from "@tollgate/core/limits/tier-prices";
import type { Tier } from "@tollgate/core/limits/tiers";
import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { OrganizationPrice } from "@tollgate/core/pricing/overrides";
import type { KeyCreator, Permission } from "@tollgate/storage/config/new-key";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { DatabaseFile } from "@tollgate/storage/engine/database-file";
import type { Engine } from "@tollgate/storage/engine/engine";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { ProfileQueries } from "@tollgate/storage/profile/profile-queries";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import type { Accounts } from "./accounts.ts";
import type { CheckoutDesk } from "./checkout.ts";
import type { SealedCursors } from "./sealed-cursors.ts";
import type { Transports } from "./transport.ts";

/** Who makes the request: an API key, or a signed-in member. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly permission: Permission;
      /** The creator's current role, at most the one at creation; keys from the command line are owners' keys. */
      readonly role: Role;
      readonly creator: KeyCreator;
    }
  | {
      readonly kind: "member";
      readonly userId: string;
      readonly email: string;
      readonly role: Role;
      readonly sessionId: string;
    };

export interface OrganizationContext {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
}

/** When the predictions of an organization were last computed, and what could not be. */
export interface PredictionRun {
  readonly computedAtMs: number;
  readonly insufficient: readonly InsufficientData[];
}

export interface PredictionBoard {
  note(scope: Scope, computedAtMs: number, insufficient: readonly InsufficientData[]): void;
  /** Records a complete run, and drops scopes that it did not examine: they have no recent calls. */
  finishRun(atMs: number, examined: readonly Scope[]): void;
  /** null: there was no run yet, or it did not examine this scope. */
  of(scope: Scope): PredictionRun | null;
  /** When the last complete run began; null: there was none. */
  readonly lastRunAtMs: number | null;
}

/**
 * Everything that operations share, created once. What features do for each other is declared here as a port and
 * implemented outside: the kernel imports no other folder of this package.
 */
export interface Control {
  readonly db: ControlDb;
  readonly engine: Engine;
  readonly pulse: ControlDatabase["pulse"];
  readonly readModel: ReadModel;
  /** How agents use models, by day. */
  readonly profile: ProfileQueries;
  /** The same prices as the gateway's. */
  readonly catalogue: Catalogue;
  /** The same with prices of an organization, which take precedence. */
  readonly catalogueWith: (ofOrganization: readonly OrganizationPrice[]) => Catalogue;
  readonly tierPrices: TierPrices;
  readonly now: () => number;
  readonly newId: () => string;
  readonly startedAt: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** Where clients send their calls, without a trailing slash. */
  readonly gatewayUrl: string;
  readonly accounts: Accounts;
  readonly checkout: CheckoutDesk;
  /** Seals and opens the cursors of lists. */
  readonly cursors: SealedCursors;
  readonly transports: Transports;
  /** Decides which addresses users may enter. */
  readonly targetGuard: {
    /** Throws 400, with the field's name, for an address that no delivery could ever reach. */
    refuseAtRegistration(field: string, address: string | null | undefined): void;
  };
  /** The files that this plane has open, and whether they were removed or replaced. */
  readonly files: {
    /** null: PostgreSQL. */
    readonly database: Pick<DatabaseFile, "isLost"> | null;
    readonly ledger: Pick<DatabaseFile, "isLost" | "path">;
  };
  /** The Redis of the gateways' burst limits; null: there is none. */
  readonly cacheState: (() => Promise<"ok" | "degraded" | "down">) | null;
  /** Whether derived data agrees with the ledger. */
  readonly continuity: Pick<LedgerContinuity, "isDegraded" | "rebuilds">;
  /** Whether a follower of the ledger that runs here makes no progress: what it derives is out of date. */
  readonly isFollowerStuck: () => boolean;
  /** Counts all calls so far; needed before an experiment ends. */
  readonly experiments: { catchUp(): Promise<unknown> };
  /** Counts all pairs so far; needed before a verification ends because its time or spend is used up. */
  readonly verifications: { catchUp(): Promise<unknown> };
  /** Free verifications of every organization, in each mode. */
  readonly freeVerifications: number;
  /** What the last prediction run could not compute. */
  readonly predictionBoard: PredictionBoard;
  /** Call it after the commit that enqueued deliveries; without it they are found a few seconds later. */
  readonly wakeSender: (receivers?: Iterable<string>) => void;
}

/** For the audit log. */
export interface RequestOrigin {
  readonly ip: string | null;
  readonly client: (typeof auditClients)[number] | null;
}

/** Who a credential identifies, and the organization and mode it acts in. */
export interface Principal {
  readonly actor: Actor;
  readonly organization: OrganizationContext;
  readonly scope: Scope;
  /** Where the request came from; absent if there is no request. */
  readonly origin?: RequestOrigin;
  /** `Set-Cookie` values for the response, because using a session extends it. */
  readonly setCookies?: readonly string[];
}

/**
 * Authenticates by API key or session cookie. Throws `missing_credential` or `invalid_api_key` (401),
 * `organization_inactive` or `not_a_member` (403), and `foreign_origin` (403) for a write by cookie from another site.
 * `isRecheck`: our own periodic check of an open connection; it must not extend the session.
 */
export type ResolvePrincipal = (
  request: Request,
  options?: { readonly isRecheck?: boolean },
) => Promise<Principal>;

/** The context of background work for one organization and mode, without a principal. */
export interface ScopedControl extends Control, Pick<Principal, "organization" | "scope"> {}

/**
 * What a handler works with. The organization and the mode come from the credential, never from the path or the
 * body: every query carries `scope`.
 */
export interface Context extends Control, Principal {}
