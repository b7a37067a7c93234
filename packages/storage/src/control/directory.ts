import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";
import { limitsOf, type Tier, type TierLimits } from "@tollgate/core/tiers";
import { ChangeDetector, openForReading } from "../sqlite.ts";
import type { OrganizationStatus, Scope } from "./control-store.ts";

/** Who calls: the key and the organization behind it, as the gateway needs them. */
export interface Caller {
  readonly keyId: string;
  readonly mode: Mode;
  readonly scope: Scope;
  readonly orgId: string;
  readonly tier: Tier;
  readonly status: OrganizationStatus;
  /** Of the tier, and of the organization where it has its own. */
  readonly limits: TierLimits;
  readonly hashSalt: string;
}

interface CallerRow extends Omit<Caller, "limits"> {
  readonly burstPerMinute: number | null;
  readonly monthlyCalls: number | null;
}

const MAX_CACHED = 50_000;
const CHECK_EVERY_MS = 50;

/**
 * The gateway's view of keys and organizations: read from `control.db`, kept in memory until a decision changes
 * there. Looked at on demand, at most every 50 ms, so a revocation counts in well under a second and an idle
 * gateway does nothing. Unknown keys are remembered too, in the same bounded map: guessing costs us no disk.
 */
export class Directory {
  readonly #database: Database;
  readonly #changes: ChangeDetector;
  readonly #revision;
  readonly #find;
  readonly #cache = new Map<string, Caller | null>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #seenRevision = -1;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.#changes = new ChangeDetector(this.#database);
    this.#revision = this.#database.query<{ revision: number }, []>("SELECT revision FROM config_revision");
    this.#find = this.#database.query<CallerRow, [string]>(
      `SELECT k.id AS keyId, k.mode, k.scope, o.id AS orgId, o.tier, o.status,
              o.burst_per_minute AS burstPerMinute, o.monthly_calls AS monthlyCalls, o.hash_salt AS hashSalt
       FROM api_keys k JOIN organizations o ON o.id = k.org_id
       WHERE k.digest = ? AND k.revoked_at IS NULL`,
    );
  }

  findByDigest(digest: string, now: number): Caller | null {
    this.#forgetIfChanged(now);
    const cached = this.#cache.get(digest);
    if (cached !== undefined) return cached;
    const found = toCaller(this.#find.get(digest));
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(digest, found);
    return found;
  }

  close(): void {
    this.#database.close();
  }

  #forgetIfChanged(now: number): void {
    if (now - this.#checkedAt < CHECK_EVERY_MS && now >= this.#checkedAt) return;
    this.#checkedAt = now;
    if (!this.#changes.changed()) return;
    const revision = this.#revision.get()?.revision ?? -1;
    if (revision === this.#seenRevision) return;
    this.#seenRevision = revision;
    this.#cache.clear();
  }
}

function toCaller(row: CallerRow | null): Caller | null {
  if (row === null) return null;
  const { burstPerMinute, monthlyCalls, ...caller } = row;
  return { ...caller, limits: limitsOf(caller.tier, { burstPerMinute, monthlyCalls }) };
}
