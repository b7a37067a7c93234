import type { Event } from "@tollgate/core/event";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { switchedSaving, withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import { emptyTables } from "@tollgate/storage/database/empty-tables";
import { isInKeptSums, readHistory } from "@tollgate/storage/database/history";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/database/upsert-rows";
import {
  followStored,
  type StoredConsumer,
  type StoredFollower,
} from "@tollgate/storage/following/follow-stored";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import {
  fromSequencedRow,
  type LedgerReader,
  type SequencedRow,
} from "@tollgate/storage/ledger/ledger-reader";
import { scopeName, toScope } from "@tollgate/storage/ledger/scope";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import type { Control } from "../../kernel/context.ts";
import { switchedModel } from "../actuations/switched-model.ts";
import { OrganizationCatalogues } from "./organization-catalogues.ts";

/** Calls that were in flight when an optimization was undone still end with the other model. */
const UNDO_GRACE_MS = HOUR_MS;

interface Applied {
  readonly id: string;
  readonly type: string;
  readonly model: string | null;
  readonly appliedAt: number;
  readonly undoneAt: number | null;
}

interface Effect {
  readonly optimizationId: string;
  readonly hour: number;
  readonly askedModel: string;
  calls: number;
  pricedCalls: number;
  savedMicrocents: number;
}

const addEffects: Upsert = {
  table: "optimization_effects",
  columns: ["optimization_id", "hour", "asked_model", "calls", "priced_calls", "saved_microcents"],
  key: ["optimization_id", "hour", "asked_model"],
  add: ["calls", "priced_calls", "saved_microcents"],
};

/**
 * Recounts everything, at today's prices: savings can be derived from the calls since an optimization was applied. Those
 * of calls that retention has removed are kept.
 */
export const effectRepair: LedgerRepair = {
  reader: "optimizations:events",
  async restart(db, engine) {
    const { beginsAtMs } = await readHistory(db);
    if (beginsAtMs > 0) await db.deleteFrom("optimization_effects").where("hour", ">=", beginsAtMs).execute();
    else await emptyTables(db, engine, ["optimization_effects"]);
    return LEDGER_START;
  },
};

/**
 * Sums the effects of optimizations from the ledger: computing a saving needs both the requested and the served model,
 * and only the full event has both. Without optimizations, every event is skipped.
 */
export function followEffects(
  database: ControlDatabase,
  ledger: LedgerReader,
  prices: Pick<Control, "catalogue" | "catalogueWith">,
  options: FollowerOptions = {},
): StoredFollower<SequencedRow> {
  const catalogues = new OrganizationCatalogues(prices);
  const consumer: StoredConsumer<SequencedRow> = {
    repair: effectRepair,
    batchSize: 500,
    pollMs: 100,
    // On first use without optimizations, past events are skipped.
    async begin() {
      const newest = ledger.newestPosition();
      return (await hasAny(database.db)) ? LEDGER_START : newest;
    },
    hasWork: () => hasAny(database.db),
    read: (after, upTo) => ledger.rowsBetween(after, upTo),
    async apply({ events }, transaction) {
      const applied = await readApplied(transaction);
      const history = await readHistory(transaction);
      const catalogueOf = await catalogues.read(transaction);
      const effects = new Map<string, Effect>();
      for (const row of events) {
        if (!applied.scopes.has(scopeName(toScope(row))) || isInKeptSums(history, row)) continue;
        const { event } = fromSequencedRow(row);
        count(event, catalogueOf(event.org_id), applied.byAgent, effects);
      }
      await upsertRows(
        transaction,
        database.engine,
        addEffects,
        [...effects.values()].map(effect => [
          effect.optimizationId,
          effect.hour,
          effect.askedModel,
          effect.calls,
          effect.pricedCalls,
          effect.savedMicrocents,
        ]),
      );
      return {};
    },
  };
  return followStored(database, ledger, consumer, options);
}

function count(
  event: Event,
  catalogue: Catalogue,
  byAgent: ReadonlyMap<string, readonly Applied[]>,
  effects: Map<string, Effect>,
): void {
  // Ingested calls did not pass through the gateway.
  if (event.source !== "gateway") return;
  const applied = byAgent.get(agentKey(event.mode, event.org_id, event.agent_key)) ?? [];
  const saving = switchedSaving(event, catalogue);
  // A failed call costs little or nothing because it was not answered: that is not a saving.
  const hasSwitched = saving.kind !== "unchanged" && !isError(event.status);
  const switched = hasSwitched
    ? applied.find(
        one =>
          one.type === "model_switch" &&
          one.model === event.model &&
          isWithin(one, event.created_at, UNDO_GRACE_MS),
      )
    : undefined;
  const others = applied.filter(one => one.type !== "model_switch" && isWithin(one, event.created_at, 0));
  const hour = startOfHour(event.created_at);
  const askedModel = storableName(withoutProvider(event.requested_model));
  for (const { id } of switched ? [switched, ...others] : others) {
    const name = `${id} ${hour} ${askedModel}`;
    const effect = effects.get(name) ?? {
      ...{ optimizationId: id, hour, askedModel },
      ...{ calls: 0, pricedCalls: 0, savedMicrocents: 0 },
    };
    effects.set(name, effect);
    effect.calls++;
    if (id === switched?.id && saving.kind === "saved") {
      effect.pricedCalls++;
      effect.savedMicrocents += saving.microcents;
    }
  }
}

async function hasAny(db: ControlDb): Promise<boolean> {
  return (await db.selectFrom("optimizations").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** By agent, latest first. */
async function readApplied(db: ControlDb) {
  const rows = await db
    .selectFrom("optimizations")
    .select(["id", "org_id", "mode", "agent_key", "optimization_type", "payload", "applied_at", "undone_at"])
    .orderBy("applied_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const byAgent = new Map<string, Applied[]>();
  const scopes = new Set<string>();
  for (const row of rows) {
    const applied: Applied = {
      id: row.id,
      type: row.optimization_type,
      model: switchedModel(row.payload),
      appliedAt: row.applied_at,
      undoneAt: row.undone_at,
    };
    scopes.add(scopeName(toScope(row)));
    const key = agentKey(row.mode, row.org_id, row.agent_key);
    const others = byAgent.get(key);
    if (others) others.push(applied);
    else byAgent.set(key, [applied]);
  }
  return { byAgent, scopes };
}

function isWithin({ appliedAt, undoneAt }: Applied, at: number, graceMs: number): boolean {
  return at >= appliedAt && (undoneAt === null || at < undoneAt + graceMs);
}

function agentKey(mode: string, orgId: string, key: string): string {
  return `${mode} ${orgId} ${key}`;
}
