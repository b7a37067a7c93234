import type { Role } from "@tollgate/core/contract/operation";
import type { TierPrices } from "@tollgate/core/limits/tier-prices";
import type { Tier } from "@tollgate/core/limits/tiers";
import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { KeyCreator, Permission } from "@tollgate/storage/config/new-key";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { DatabaseFile } from "@tollgate/storage/engine/database-file";
import type { LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import type { ProfileQueries } from "@tollgate/storage/profile/profile-queries";
import type { ReadModel, Scope } from "@tollgate/storage/read-model/queries";
import type { Accounts } from "./accounts.ts";
import type { SealedCursors } from "./sealed-cursors.ts";
import type { Transports } from "./transport.ts";

/** Who asks: an API key, or a signed-in member. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly permission: Permission;
      /** Of whoever made it, as of now; the command line makes owners' keys. */
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
export interface PredictionLook {
  readonly computedAt: number;
  readonly insufficient: readonly InsufficientData[];
}

export interface PredictionBoard {
  note(scope: Scope, computedAt: number, insufficient: readonly InsufficientData[]): void;
  /** Everybody was looked at; who is not named has not called for so long that nothing is kept. */
  finishRound(at: number, looked: readonly Scope[]): void;
  /** null: there was no look yet, or nobody called. */
  of(scope: Scope): PredictionLook | null;
  /** When the last look at everybody began; null: there was none. */
  readonly roundAt: number | null;
}

/**
 * Everything that operations share, made once. What features do for each other is declared here as a port, and
 * implemented above: the kernel imports no other folder of this package.
 */
export interface Control {
  readonly db: ControlDb;
  readonly engine: "sqlite" | "postgres";
  readonly readModel: ReadModel;
  /** How agents use models, by day. */
  readonly profile: ProfileQueries;
  /** The prices that the gateway charges by. */
  readonly catalogue: Catalogue;
  readonly tierPrices: TierPrices;
  readonly now: () => number;
  readonly newId: () => string;
  readonly startedAt: number;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly accounts: Accounts;
  /** Seals and opens the cursors of lists. */
  readonly cursors: SealedCursors;
  readonly transports: Transports;
  /** Which addresses users may name. */
  readonly targetGuard: {
    /** Throws 400, with the field's name, for an address that no delivery could ever reach. */
    refuseAtRegistration(field: string, address: string | null | undefined): void;
  };
  /** The files that this plane works with: whether they are still there. */
  readonly files: {
    /** null: PostgreSQL. */
    readonly database: Pick<DatabaseFile, "isLost"> | null;
    readonly ledger: Pick<DatabaseFile, "isLost">;
  };
  /** Whether what is derived is what the ledger says. */
  readonly continuity: Pick<LedgerContinuity, "isDegraded" | "rebuilds">;
  /** Before an experiment ends, every call that it has had is counted. */
  readonly experiments: { catchUp(): Promise<unknown> };
  /** What the last look at coming failures could not say. */
  readonly predictionBoard: PredictionBoard;
  /**
   * Something is due, for these receivers or for whoever it may be: say so after the commit that made it. It would be
   * found without, a little later.
   */
  readonly wakeSender: (receivers?: Iterable<string>) => void;
}

/** Who a credential identifies, and the organization and mode it acts in. */
export interface Principal {
  readonly actor: Actor;
  readonly organization: OrganizationContext;
  readonly scope: Scope;
  /** `Set-Cookie` values that belong on the answer: a session that is used lives on. */
  readonly setCookies?: readonly string[];
}

/**
 * Finds out who asks, by API key or session cookie. Throws `missing_credential` or `invalid_api_key` (401),
 * `organization_inactive` or `not_a_member` (403), `foreign_origin` (403) for a cookie that writes from elsewhere.
 * `isRecheck`: our own periodic check of an open connection; it must not extend the session.
 */
export type ResolvePrincipal = (
  request: Request,
  options?: { readonly isRecheck?: boolean },
) => Promise<Principal>;

/**
 * What a handler works with. The organization and the mode come from the credential, never from the path or the
 * body: every query carries `scope`.
 */
export interface Context extends Control, Principal {}
