import type { Event } from "@tollgate/core/event";
import { decodeRateCard } from "@tollgate/core/pricing/rates";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import type { ControlDb } from "../../database/schema.ts";
import type { LedgerReader, SequencedEvent } from "../../ledger/ledger-reader.ts";
import type { RefusalSource } from "../../ledger/read-refusals.ts";
import type { Scope } from "../../ledger/scope.ts";
import { storableName } from "../../ledger/storable-name.ts";
import { isUnpriced } from "../is-unpriced.ts";
import type { Page } from "../page.ts";
import type { EventQueries, ListedEvent } from "../queries/event-queries.ts";
import { sumOf } from "../sum-of.ts";
import { explainEvent } from "./explain-event.ts";
import { readEvents } from "./read-events.ts";
import type { ScopedReader } from "./scoped-reader.ts";

export function createEventQueries(
  reader: ScopedReader,
  ledger: LedgerReader,
  refusals: RefusalSource,
): EventQueries {
  const { db, engine } = reader;

  /** By its own id, or by the id it was ingested under; another organization's event is not found. */
  async function findEvent(scope: Scope, id: string): Promise<SequencedEvent | null> {
    const own = ledger.byId(id);
    const isOurs = own !== null && own.event.org_id === scope.orgId && own.event.mode === scope.mode;
    return isOurs
      ? own
      : await reader.read(scope, null, (db, scopeId) => findByExternalId(db, ledger, scopeId, id));
  }

  return {
    events: (scope, filter, limit, after) =>
      reader.read<Page<ListedEvent>>(scope, { rows: [], next: null }, (db, id) =>
        readEvents(db, engine, ledger, id, filter, limit, after),
      ),
    async event(scope, id) {
      const found = await findEvent(scope, id);
      if (found === null) return null;
      const { seq, event } = found;
      return {
        position: { at: event.created_at, seq },
        event,
        ...(await adjustmentOf(db, event)),
      };
    },
    async explainedEvent(scope, id) {
      const found = await findEvent(scope, id);
      if (found === null) return null;
      return { event: found.event, explanation: await explainEvent(db, ledger, found.event) };
    },
    rateCards(versions) {
      const cards = [...versions].flatMap(version => {
        const text = ledger.rateCard(version);
        return text === null ? [] : [[version, decodeRateCard(text)] as const];
      });
      return new Map(cards);
    },
    async refusals(scope, filter, limit, after) {
      const found = await refusals.list(scope, filter, after ?? null, limit + 1);
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { rows, next: isMore ? { at: last.created_at, seq: last.id } : null };
    },
    async refusalCounts(scope, { from, to }, by, atMost, agentKey) {
      const hours = { from: startOfHour(from), to };
      return await refusals.counts(scope, hours, by, atMost, agentKey);
    },
  };
}

async function findByExternalId(
  db: ControlDb,
  ledger: LedgerReader,
  scope: number,
  externalId: string,
): Promise<SequencedEvent | null> {
  const row = await db
    .selectFrom("external_ids")
    .select("seq")
    .where("scope", "=", scope)
    .where("external_id", "=", storableName(externalId))
    .executeTakeFirst();
  return row === undefined ? null : (ledger.bySeqs([row.seq])[0] ?? null);
}

async function adjustmentOf(
  db: ControlDb,
  event: Event,
): Promise<Pick<ListedEvent, "adjustment_microcents" | "is_unpriced">> {
  const row = await db
    .selectFrom("adjustments")
    .select([
      sumOf(sql.ref("amount_microcents")).as("amount"),
      ({ fn }) => fn.countAll<number>().as("adjustments"),
    ])
    .where("event_id", "=", event.id)
    .executeTakeFirst();
  return {
    adjustment_microcents: row?.amount ?? 0,
    is_unpriced: isUnpriced(event) && Number(row?.adjustments ?? 0) === 0,
  };
}
