import type { Database } from "bun:sqlite";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { Mode } from "@tollgate/core/event";
import { limitsOf, type Tier, type TierLimits } from "@tollgate/core/limits/tiers";
import { microcents } from "@tollgate/core/money/money";
import type { OrganizationPrice } from "@tollgate/core/pricing/overrides";
import type { AgentRules } from "@tollgate/core/steering";
import { DatabaseFile } from "../engine/database-file.ts";
import { ChangeDetector, openForReading } from "../engine/sqlite.ts";
import type { LedgerBeginning } from "../ledger/event-removal.ts";
import { type OptimizationRow, type SplitRow, toAgentRules } from "./agent-rules.ts";
import type { OrganizationStatus } from "./control-store.ts";
import type { Permission } from "./new-key.ts";
import {
  type RunningVerification,
  spendBound,
  toVerification,
  type VerificationRow,
  verificationColumns,
} from "./running-verification.ts";

/** The key behind a call and its organization, as the gateway needs them. */
export interface GatewayCaller {
  readonly keyId: string;
  readonly mode: Mode;
  readonly permission: Permission;
  readonly orgId: string;
  readonly tier: Tier;
  readonly status: OrganizationStatus;
  /** The tier's limits, with the organization's overrides. */
  readonly limits: TierLimits;
  readonly hashSalt: string;
}

interface CallerRow extends Omit<GatewayCaller, "limits"> {
  readonly burstPerMinute: number | null;
  readonly monthlyCalls: number | null;
}

/** An organization's settings for its calls in one mode. */
interface CallRules {
  /** Active and paused budgets. */
  readonly budgets: readonly Budget[];
  /** The same, and what each running verification may spend. */
  readonly withSpendBounds: readonly Budget[];
  readonly pausedAgents: ReadonlySet<string>;
  /** Archived agents do not count against the tier's limit. */
  readonly archivedAgents: number;
  /** By agent key: agents whose calls an experiment or optimization changes. */
  readonly agents: ReadonlyMap<string, AgentRules>;
  /** Verifications that currently sample calls. */
  readonly verifications: readonly RunningVerification[];
}

interface BudgetRow extends Omit<Budget, "limitMicrocents" | "isStrict" | "allowsUnpriced" | "isPaused"> {
  /** Microcents. */
  readonly limit: number;
  readonly strict: number;
  readonly allow_unpriced: number;
  readonly status: string;
}

interface AgentSettingsRow {
  readonly agent_key: string;
  readonly isPaused: number;
  readonly isArchived: number;
}

const budgetColumns = `id, org_id AS orgId, NULL AS verificationId, mode, agent_key AS agentKey, key_id AS keyId, customer_id AS customerId, period, limit_microcents AS "limit",
  enforcement_mode AS enforcement, strict, allow_unpriced, status, since AS sinceMs,
  (SELECT blocking_since FROM blocking_budgets WHERE blocking_budgets.org_id = budgets.org_id AND budget_id = id) AS blockingSinceMs`;

const isBlockingSql = "enforcement_mode = 'hard_block' AND status <> 'paused'";

/** Longer than other gateways wait for a report. */
const RECENT_MS = 60_000;

export interface BlockingBudget {
  /** By the clock of whichever machine has changed it. */
  readonly changedAtMs: number;
  /** It became blocking at about the same time as the newest one, perhaps just now. */
  readonly isRecent: boolean;
}

/** Shared by the many organizations without settings. */
const noRules: CallRules = {
  budgets: [],
  withSpendBounds: [],
  pausedAgents: new Set(),
  archivedAgents: 0,
  agents: new Map(),
  verifications: [],
};

const noPrices: readonly OrganizationPrice[] = [];

const MAX_CACHED = 50_000;
export const CHECK_EVERY_MS = 50;
const REFRESH_EVERY_MS = 5;

/**
 * The gateway's view of keys and organizations: read from `control.db` and cached until something changes there. The
 * file is checked on demand, at most every 50 ms, so a revocation takes effect in well under a second and an idle
 * gateway does nothing. Unknown keys are cached too, in the same bounded map, so guessing costs no disk reads.
 */
export class Directory {
  readonly #database: Database;
  readonly #changes: ChangeDetector;
  readonly #revision;
  readonly #find;
  readonly #findBudgets;
  readonly #findSettings;
  readonly #findOptimizations;
  readonly #findSplits;
  readonly #findVerifications;
  readonly #findPrices;
  readonly #countNodes;
  readonly #findBeginning;
  readonly #prices = new Map<string, readonly OrganizationPrice[]>();
  readonly #cache = new Map<string, GatewayCaller | null>();
  readonly #rules = { live: new Map<string, CallRules>(), test: new Map<string, CallRules>() };
  /** On the monotonic clock, which tests do not fake. */
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #seenRevision = -1;
  #liveNodes = 0;
  /** While the file is lost, the last known settings apply. */
  readonly file: DatabaseFile;

  constructor(path: string) {
    this.#database = openForReading(path);
    this.file = new DatabaseFile(path);
    this.#changes = new ChangeDetector(this.#database);
    this.#findBeginning = this.#database.query<LedgerBeginning, []>(
      `SELECT begins_seq AS seq, begins_event_id AS eventId, begins_at AS atMs FROM history
       WHERE begins_seq IS NOT NULL AND begins_event_id IS NOT NULL`,
    );
    this.#revision = this.#database.query<{ revision: number }, []>("SELECT revision FROM config_revision");
    this.#find = this.#database.query<CallerRow, [string]>(
      // A viewer's key can only read, whatever it could do when it was created; the key of a former member does
      // nothing.
      `SELECT k.id AS keyId, k.mode, CASE m.role WHEN 'viewer' THEN 'read' ELSE k.scope END AS permission, o.id AS orgId, o.tier, o.status,
              o.burst_per_minute AS burstPerMinute, o.monthly_calls AS monthlyCalls, o.hash_salt AS hashSalt
       FROM api_keys k JOIN organizations o ON o.id = k.org_id
       LEFT JOIN members m ON m.user_id = k.created_by_user AND m.org_id = k.org_id AND m.status = 'active'
       WHERE k.digest = ? AND k.revoked_at IS NULL AND (k.created_by_user IS NULL OR m.id IS NOT NULL)`,
    );
    this.#findBudgets = this.#database.query<BudgetRow, [string, string]>(
      `SELECT ${budgetColumns} FROM budgets WHERE org_id = ? AND mode = ? ORDER BY created_at, id`,
    );
    this.#findSettings = this.#database.query<AgentSettingsRow, [string, string]>(
      `SELECT agent_key, paused_at IS NOT NULL AS isPaused, archived_at IS NOT NULL AS isArchived
       FROM agent_settings WHERE org_id = ? AND mode = ? AND (paused_at IS NOT NULL OR archived_at IS NOT NULL)`,
    );
    this.#findOptimizations = this.#database.query<OptimizationRow, [string, string]>(
      `SELECT agent_key, optimization_type, payload FROM optimizations
       WHERE org_id = ? AND mode = ? AND undone_at IS NULL ORDER BY applied_at, id`,
    );
    this.#findSplits = this.#database.query<SplitRow, [string, string]>(
      `SELECT agent_key, id AS experimentId, treatment_model AS treatmentModel, traffic_pct AS trafficPct,
              ends_at AS endsAtMs
       FROM experiments WHERE org_id = ? AND mode = ? AND status = 'running'`,
    );
    this.#findPrices = this.#database.query<OrganizationPrice, [string]>(
      `SELECT provider, model, prices, effective_from AS effectiveFromMs FROM price_overrides
       WHERE org_id = ? ORDER BY effective_from DESC, id DESC`,
    );
    this.#countNodes = this.#database.query<{ nodes: number }, []>("SELECT count(*) AS nodes FROM nodes");
    this.#findVerifications = this.#database.query<VerificationRow, [string, string]>(
      `SELECT ${verificationColumns} FROM verification_requests
       WHERE org_id = ? AND mode = ? AND status = 'collecting' AND evidence_mode = 'shadow' ORDER BY created_at, id`,
    );
  }

  /** The gateways of an installation on several machines that are alive, as of the last check of the file. */
  get liveNodes(): number {
    return this.#liveNodes;
  }

  /** Newest first; the same list until something changes. As of the last check of the file. */
  pricesOf(orgId: string): readonly OrganizationPrice[] {
    const cached = this.#prices.get(orgId);
    if (cached !== undefined) return cached;
    const found = this.#findPrices.all(orgId);
    if (this.#prices.size >= MAX_CACHED) this.#prices.clear();
    this.#prices.set(orgId, found.length === 0 ? noPrices : found);
    return found.length === 0 ? noPrices : found;
  }

  findByDigest(digest: string, now: number): GatewayCaller | null {
    this.#forgetIfChanged(now);
    const cached = this.#cache.get(digest);
    if (cached !== undefined) return cached;
    const found = toCaller(this.#find.get(digest));
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(digest, found);
    return found;
  }

  /** As of the last check of the file. A call's key is looked up first, so that is at most 50 ms ago. */
  rulesOf(orgId: string, mode: Mode): CallRules {
    const rules = this.#rules[mode];
    const cached = rules.get(orgId);
    if (cached !== undefined) return cached;
    const found = this.#readRules(orgId, mode);
    if (rules.size >= MAX_CACHED) rules.clear();
    rules.set(orgId, found);
    return found;
  }

  /** A verification's bound applies to its own calls only, so no other call looks at it. */
  budgetsOf(orgId: string, mode: Mode, isOfVerification: boolean): readonly Budget[] {
    const { budgets, withSpendBounds } = this.rulesOf(orgId, mode);
    return isOfVerification ? withSpendBounds : budgets;
  }

  /** All budgets, for verification. */
  allBudgets(): Budget[] {
    const verifications = this.#database
      .query<VerificationRow, []>(
        `SELECT ${verificationColumns} FROM verification_requests
         WHERE status = 'collecting' AND evidence_mode = 'shadow' ORDER BY id`,
      )
      .all();
    return [
      ...this.#database
        .query<BudgetRow, []>(`SELECT ${budgetColumns} FROM budgets ORDER BY id`)
        .all()
        .map(toBudget),
      ...verifications.map(row => spendBound(toVerification(row))),
    ];
  }

  /** Counts changes of the configuration. As of the last check of the file. */
  get revision(): number {
    return this.#seenRevision;
  }

  /** Budgets that refuse calls, by id. */
  blockingBudgets(): ReadonlyMap<string, BlockingBudget> {
    const rows = this.#database
      .query<{ id: string; changedAtMs: number; isRecent: number | null }, []>(
        `SELECT id, updated_at AS changedAtMs,
           blocking_since >= (SELECT MAX(blocking_since) FROM blocking_budgets) - ${RECENT_MS} AS isRecent
         FROM budgets LEFT JOIN blocking_budgets AS blocking ON blocking.org_id = budgets.org_id AND budget_id = id
         WHERE ${isBlockingSql}`,
      )
      .all();
    return new Map(
      rows.map(({ id, changedAtMs, isRecent }) => [id, { changedAtMs, isRecent: isRecent === 1 }]),
    );
  }

  /** null: there is none, or it does not refuse calls. */
  blockingBudget(id: string): Budget | null {
    const row = this.#database
      .query<BudgetRow, [string]>(`SELECT ${budgetColumns} FROM budgets WHERE id = ? AND ${isBlockingSql}`)
      .get(id);
    return row === null ? null : toBudget(row);
  }

  /** For writers, which must see a change made 5 ms ago. */
  refresh(): void {
    const now = performance.now();
    if (now - this.#refreshedAt < REFRESH_EVERY_MS) return;
    this.#refreshedAt = now;
    this.#checkFile();
  }

  /** Events before this one are to be removed from the ledger; null: none. */
  ledgerBeginning(): LedgerBeginning | null {
    return this.#findBeginning.get();
  }

  close(): void {
    this.#database.close();
  }

  #forgetIfChanged(now: number): void {
    if (now - this.#checkedAt < CHECK_EVERY_MS && now >= this.#checkedAt) return;
    this.#checkedAt = now;
    this.#checkFile();
  }

  #checkFile(): void {
    if (!this.#changes.changed()) return;
    this.#liveNodes = this.#countNodes.get()?.nodes ?? 0;
    const revision = this.#revision.get()?.revision ?? -1;
    if (revision === this.#seenRevision) return;
    this.#seenRevision = revision;
    this.#cache.clear();
    this.#prices.clear();
    this.#rules.live.clear();
    this.#rules.test.clear();
  }

  #readRules(orgId: string, mode: Mode): CallRules {
    const budgets = this.#findBudgets.all(orgId, mode);
    const settings = this.#findSettings.all(orgId, mode);
    const agents = toAgentRules(this.#findOptimizations.all(orgId, mode), this.#findSplits.all(orgId, mode));
    const verifications = this.#findVerifications.all(orgId, mode).map(toVerification);
    if (budgets.length === 0 && settings.length === 0 && agents.size === 0 && verifications.length === 0) {
      return noRules;
    }
    const own = budgets.map(toBudget);
    const paused = settings.filter(({ isPaused }) => isPaused === 1);
    return {
      budgets: own,
      withSpendBounds: [...own, ...verifications.map(spendBound)],
      pausedAgents: new Set(paused.map(({ agent_key }) => agent_key)),
      archivedAgents: settings.filter(({ isArchived }) => isArchived === 1).length,
      agents,
      verifications,
    };
  }
}

function toBudget({ strict, allow_unpriced, status, limit, ...same }: BudgetRow): Budget {
  return {
    ...same,
    limitMicrocents: microcents(limit),
    isStrict: strict === 1,
    allowsUnpriced: allow_unpriced === 1,
    isPaused: status === "paused",
  };
}

function toCaller(row: CallerRow | null): GatewayCaller | null {
  if (row === null) return null;
  const { burstPerMinute, monthlyCalls, ...caller } = row;
  return { ...caller, limits: limitsOf(caller.tier, { burstPerMinute, monthlyCalls }) };
}
