import { askedModel } from "@tollgate/core/suggestions/switched-saving";
import { DAY_MS } from "@tollgate/core/time/durations";
import { readHistory } from "@tollgate/storage/database/history";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import {
  followStored,
  type StoredConsumer,
  type StoredFollower,
} from "@tollgate/storage/following/follow-stored";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import type { GatewayCallEvent } from "@tollgate/storage/ledger/event-parts";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { switchedModel } from "./switched-model.ts";

/** A call admitted this long after a change obeys it: configuration reaches every gateway within a second. */
const OBEYED_WITHIN_MS = 1000;
/** A change that no call has obeyed by then is no longer looked for. */
const LOOKED_FOR_MS = 7 * DAY_MS;

export const obeyedRepair: LedgerRepair = {
  reader: "actuations:events",
  async restart(db) {
    const { beginsAtMs } = await readHistory(db);
    await db
      .updateTable("actuations")
      .set({ first_obeyed_at: null })
      .where("first_obeyed_at", ">=", beginsAtMs)
      .execute();
    return LEDGER_START;
  },
};

interface Pending {
  readonly id: string;
  readonly org_id: string;
  readonly mode: string;
  readonly agent_key: string | null;
  readonly action_type: string;
  readonly change: string;
  readonly subject_id: string;
  readonly applied_at: number;
  readonly rolled_back_at: number | null;
  /** Of a model switch's optimization. */
  readonly payload: string | null;
  /** Of a budget, while it exists. */
  readonly key_id: string | null;
  readonly customer_id: string | null;
}

/** Finds the first call that obeyed each change. Without changes that are looked for, every event is skipped. */
export function followObeyed(
  database: ControlDatabase,
  ledger: LedgerReader,
  now: () => number,
  options: FollowerOptions = {},
): StoredFollower<GatewayCallEvent> {
  const consumer: StoredConsumer<GatewayCallEvent> = {
    repair: obeyedRepair,
    batchSize: 1000,
    pollMs: 100,
    // Calls before the first actuation obeyed none.
    begin: async () => ledger.newestPosition(),
    async hasWork() {
      const found = await pending(database.db)
        .where("applied_at", ">=", now() - LOOKED_FOR_MS)
        .select("actuations.id")
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
    read: (after, upTo) => ledger.gatewayCallsBetween(after, upTo),
    async apply({ events }, transaction) {
      if (events.length === 0) return { isEmpty: true };
      let written = 0;
      for (const row of await pendingWithin(transaction, events)) {
        const obeying = events.filter(event => obeys(event, row)).map(({ created_at }) => created_at);
        if (obeying.length === 0) continue;
        await transaction
          .updateTable("actuations")
          .set({ first_obeyed_at: Math.min(...obeying) })
          .where("id", "=", row.id)
          .execute();
        written++;
      }
      return { isEmpty: written === 0 };
    },
  };
  return followStored(database, ledger, consumer, options);
}

/** Refused calls leave no event, so no event shows that a pause took effect. */
function pending(db: ControlDb) {
  return db
    .selectFrom("actuations")
    .where("first_obeyed_at", "is", null)
    .where(({ eb, not, and }) =>
      not(and([eb("action_type", "=", "pause_agent"), eb("change", "=", "pause")])),
    );
}

function pendingWithin(db: ControlDb, events: readonly GatewayCallEvent[]): Promise<Pending[]> {
  const times = events.map(({ created_at }) => created_at);
  return pending(db)
    .leftJoin("optimizations", "optimizations.id", "actuations.subject_id")
    .leftJoin("budgets", "budgets.id", "actuations.subject_id")
    .select([
      "actuations.id",
      "actuations.org_id",
      "actuations.mode",
      "actuations.agent_key",
      "action_type",
      "change",
      "subject_id",
      "actuations.applied_at",
      "rolled_back_at",
      "optimizations.payload",
      "budgets.key_id",
      "budgets.customer_id",
    ])
    .where("actuations.applied_at", ">=", Math.min(...times) - LOOKED_FOR_MS)
    .where("actuations.applied_at", "<=", Math.max(...times))
    .execute();
}

function obeys(event: GatewayCallEvent, row: Pending): boolean {
  if (event.org_id !== row.org_id || event.mode !== row.mode) return false;
  if (row.agent_key !== null && event.agent_key !== row.agent_key) return false;
  if (row.key_id !== null && event.key_id !== row.key_id) return false;
  if (row.customer_id !== null && event.customer_id !== row.customer_id) return false;
  if (event.created_at < row.applied_at || event.created_at > row.applied_at + LOOKED_FOR_MS) return false;
  if (row.rolled_back_at !== null && event.created_at >= row.rolled_back_at) return false;
  if (row.action_type === "model_switch" && row.change === "apply") {
    const model = row.payload === null ? null : switchedModel(row.payload);
    return event.arm !== "treatment" && event.model === model && askedModel(event) !== model;
  }
  if (row.action_type === "experiment" && row.change === "start")
    return event.experiment_id === row.subject_id;
  return event.created_at >= row.applied_at + OBEYED_WITHIN_MS;
}
