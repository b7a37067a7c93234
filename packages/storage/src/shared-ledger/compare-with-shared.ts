import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";
import { readPosition } from "../following/stored-position.ts";
import type { EventSummary } from "../ledger/event-parts.ts";
import type { RemovedEvents } from "../ledger/event-removal.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { removedFromShared } from "./removed-from-shared.ts";
import { readSharedBeginning } from "./shared-beginning.ts";
import { readRemoved } from "./shared-history.ts";
import { shippingReader } from "./ship-ledger.ts";

const BATCH_SIZE = 2000;
const MAX_REPORTED = 100;
const none: ReadonlySet<string> = new Set();

export interface Compared {
  readonly events: number;
  /** As booked with the events, before any rerating. */
  readonly cost_microcents: number;
  /** Events whose cost was unknown when they happened. */
  readonly unpriced_calls: number;
  /** In the ledger and not shipped yet; of a copy: in PostgreSQL and not copied yet. */
  readonly pending_events: number;
  readonly differences: readonly string[];
}

interface SharedEvent {
  readonly org_id: string;
  readonly id: string;
  readonly position: number;
  readonly node_id: string;
  readonly cost: number;
}

type OnProgress = (events: number) => void;

/**
 * Not read as JSON: a reported text may contain NUL or half a character, and PostgreSQL then refuses to read any field. No text
 * in the event can look like this field: the quotes in it are escaped.
 */
const sharedColumns = sql`org_id, id, position, node_id,
  CAST(substring(event FROM '"cost_microcents": *(-?[0-9]+)') AS BIGINT) AS cost`;

/**
 * Compares what a node has shipped with PostgreSQL, event by event: an event that another node has shipped, because both
 * had ingested it, is no difference. null: this node has never shipped anything.
 */
export async function compareShipped(
  db: ControlDb,
  ledger: LedgerReader,
  nodeId: string,
  onProgress: OnProgress = () => {},
): Promise<Compared | null> {
  const shipped = await readPosition(db, shippingReader(nodeId));
  if (shipped === null) return null;
  const sums = new Sums();
  let own = 0;
  // Retention has removed the events before this one from the ledger, and perhaps some after it from PostgreSQL.
  const { seq: begins } = ledger.beginning();
  for (let after = Math.max(0, begins - 1); after < shipped.seq; after += BATCH_SIZE) {
    const local = ledger.summariesBetween(after, Math.min(after + BATCH_SIZE, shipped.seq));
    const shared = new Map((await sharedByIds(db, local)).map(event => [keyOf(event), event]));
    const missing = local.filter(event => !shared.has(keyOf(event)));
    const removed = missing.length === 0 ? none : await removedFromShared(db, nodeId, missing);
    for (const event of local) {
      if (removed.has(event.id)) continue;
      const found = shared.get(keyOf(event));
      sums.add(event, found ?? null);
      if (found?.node_id === nodeId) own++;
    }
    onProgress(sums.events);
  }
  const inPostgres = await db
    .selectFrom("shared_events")
    .select(({ fn }) => fn.countAll<number>().as("events"))
    .where("node_id", "=", nodeId)
    .where("node_seq", "<=", shipped.seq)
    .where("node_seq", ">=", begins)
    .executeTakeFirstOrThrow();
  const unknown = inPostgres.events - own;
  if (unknown > 0) {
    sums.report(
      `PostgreSQL has ${unknown} events of node ${nodeId} that its ledger lacks: the ledger was replaced, or restored from an older backup`,
    );
  }
  if (shipped.seq >= begins && !ledger.has(shipped))
    sums.report(`the ledger lacks event ${shipped.seq}, the last one shipped`);
  return sums.result(Math.max(0, ledger.newestSeq() - shipped.seq));
}

/** Compares a control plane's copy with the shared ledger in PostgreSQL, event by event, up to the end of the copy. */
export async function compareCopy(
  db: ControlDb,
  ledger: LedgerReader,
  onProgress: OnProgress = () => {},
): Promise<Compared> {
  const { position: end } = await db
    .selectFrom("shared_ledger_end")
    .select("position")
    .executeTakeFirstOrThrow();
  const newest = ledger.newestSeq();
  const sums = new Sums();
  // Retention shortens the two independently.
  const begins = Math.max(ledger.beginning().seq, (await readSharedBeginning(db)).position);
  for (let after = Math.max(0, begins - 1); after < newest; after += BATCH_SIZE) {
    const upTo = Math.min(after + BATCH_SIZE, newest);
    const shared = new Map((await sharedBetween(db, after, upTo)).map(event => [event.position, event]));
    for (const event of ledger.summariesBetween(after, upTo)) {
      const found = shared.get(event.seq);
      shared.delete(event.seq);
      sums.add(event, found !== undefined && keyOf(found) === keyOf(event) ? found : null);
    }
    for (const { id, position } of shared.values())
      sums.report(`event ${id}: not in the copy, at ${position}`);
    onProgress(sums.events);
  }
  for (const difference of await removedDifferences(db, ledger)) sums.report(difference);
  return sums.result(Math.max(0, end - newest));
}

/** What retention has removed adds up to the same on both sides, once both begin with the same event. */
async function removedDifferences(db: ControlDb, ledger: LedgerReader): Promise<string[]> {
  const removed = await readRemoved(db);
  if (removed === null || removed.seq !== ledger.beginning().seq) return [];
  const text = ({ org_id, mode, month, events, cost_microcents }: RemovedEvents) =>
    `${month}, organization ${org_id}, ${mode}: ${events} events, ${cost_microcents} microcents`;
  const [inCopy, inPostgres] = [ledger.removedEvents(), removed.sums].map(
    sums => new Set(sums.filter(({ events }) => events > 0).map(text)),
  );
  return [
    ...[...(inCopy ?? [])]
      .filter(sum => !inPostgres?.has(sum))
      .map(sum => `removed from the copy, ${sum}: not so in PostgreSQL`),
    ...[...(inPostgres ?? [])]
      .filter(sum => !inCopy?.has(sum))
      .map(sum => `removed from PostgreSQL, ${sum}: not so in the copy`),
  ];
}

interface Sum {
  events: number;
  cost: number;
}

/** Counts and costs of both sides, by organization. */
class Sums {
  events = 0;
  #unpriced = 0;
  readonly #differences: string[] = [];
  readonly #organizations = new Map<string, { readonly local: Sum; readonly shared: Sum }>();

  add(local: EventSummary, shared: SharedEvent | null): void {
    this.events++;
    if (local.cost_basis === "unpriced") this.#unpriced++;
    let sums = this.#organizations.get(local.org_id);
    if (sums === undefined) {
      sums = { local: { events: 0, cost: 0 }, shared: { events: 0, cost: 0 } };
      this.#organizations.set(local.org_id, sums);
    }
    sums.local.events++;
    sums.local.cost += local.cost_microcents;
    if (shared === null) {
      this.report(`event ${local.id}: not in PostgreSQL`);
      return;
    }
    sums.shared.events++;
    sums.shared.cost += shared.cost;
    if (shared.cost === local.cost_microcents) return;
    this.report(`event ${local.id}: cost is ${local.cost_microcents}, in PostgreSQL ${shared.cost}`);
  }

  report(difference: string): void {
    if (this.#differences.length < MAX_REPORTED) this.#differences.push(difference);
  }

  result(pendingEvents: number): Compared {
    const ofOrganizations: string[] = [];
    let cost = 0;
    for (const [orgId, { local, shared }] of this.#organizations) {
      cost += local.cost;
      if (local.events === shared.events && local.cost === shared.cost) continue;
      ofOrganizations.push(
        `organization ${orgId}: ${local.events} events, ${local.cost} microcents in the ledger; ${shared.events} events, ${shared.cost} microcents in PostgreSQL`,
      );
    }
    return {
      events: this.events,
      cost_microcents: cost,
      unpriced_calls: this.#unpriced,
      pending_events: pendingEvents,
      differences: [...ofOrganizations.slice(0, MAX_REPORTED), ...this.#differences],
    };
  }
}

const keyOf = ({ org_id, id }: { readonly org_id: string; readonly id: string }) => `${org_id} ${id}`;

async function sharedByIds(db: ControlDb, events: readonly EventSummary[]): Promise<SharedEvent[]> {
  const ids = JSON.stringify(events.map(({ org_id, id }) => ({ org_id, id })));
  const { rows } = await sql<SharedEvent>`
    SELECT ${sharedColumns} FROM shared_events WHERE (org_id, id) IN
      (SELECT org_id, id FROM json_to_recordset(CAST(CAST(${ids} AS TEXT) AS JSON)) AS sent (org_id TEXT, id TEXT))
  `.execute(db);
  return rows;
}

async function sharedBetween(db: ControlDb, after: number, upTo: number): Promise<SharedEvent[]> {
  const { rows } = await sql<SharedEvent>`
    SELECT ${sharedColumns} FROM shared_events WHERE position > ${after} AND position <= ${upTo}
  `.execute(db);
  return rows;
}
