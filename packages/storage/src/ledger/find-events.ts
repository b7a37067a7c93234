import type { Database } from "bun:sqlite";
import type { Event, Mode } from "@tollgate/core/event";

interface AnsweredCall {
  readonly seq: number;
  readonly org_id: string;
  readonly mode: Mode;
  readonly source: string;
  readonly response_id: string | null;
}

/** The fields of an existing event that telemetry is matched against, or may complete. */
export interface CallRow
  extends Pick<
    Event,
    | "id"
    | "org_id"
    | "mode"
    | "source"
    | "endpoint"
    | "created_at"
    | "latency_ms"
    | "agent_key"
    | "session_id"
    | "customer_id"
    | "model"
    | "requested_model"
    | "served_model"
    | "status"
    | "usage_source"
    | "cost_basis"
    | "response_id"
    | "trace_id"
    | "span_id"
    | "instrumentation"
  > {
  /** JSON. */
  readonly usage: string;
}

export interface LinkableCall extends CallRow {
  /** Instrumentations whose span was matched to this call. */
  readonly linkedBy: readonly string[];
}

export interface EventFinder {
  has(id: string): boolean;
  /** Whether this span, by the event id it would have had, was linked to an existing event. */
  isLinked(id: string): boolean;
  /** The organization's call through the gateway with this id. */
  gatewayCall(id: string, orgId: string, mode: Mode): CallRow | null;
  gatewayCallAt(seq: number, orgId: string, mode: Mode): CallRow | null;
  newestSeq(): number;
  /** The providers' response ids, in ledger order. */
  answeredAfter(seq: number, atMost: number): AnsweredCall[];
  callsAfter(seq: number, atMost: number): (LinkableCall & { readonly seq: number })[];
}

const callColumns = `id, org_id, mode, source, endpoint, created_at, latency_ms, agent_key, session_id, customer_id, model,
  requested_model, served_model, status, usage, usage_source, cost_basis, response_id, trace_id, span_id, instrumentation`;

/** Lookups for ingestion on the writer's own connection. They use only the ledger's id and order, no other index. */
export function findEvents(database: Database): EventFinder {
  const byId = database.query<{ found: number }, [string]>(
    "SELECT 1 AS found FROM events WHERE id = ?1 UNION ALL SELECT 1 FROM removed_ids WHERE id = ?1",
  );
  const gatewayCall = database.query<CallRow, [string, string, Mode]>(
    `SELECT ${callColumns} FROM events WHERE id = ? AND org_id = ? AND mode = ? AND source = 'gateway'`,
  );
  const gatewayCallAt = database.query<CallRow, [number, string, Mode]>(
    `SELECT ${callColumns} FROM events WHERE seq = ? AND org_id = ? AND mode = ? AND source = 'gateway'`,
  );
  const newest = database.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events");
  const answered = database.query<AnsweredCall, [number, number]>(
    "SELECT seq, org_id, mode, source, response_id FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
  );
  const linked = database.query<{ found: number }, [string]>(
    "SELECT 1 AS found FROM linked_spans WHERE span_event_id = ?",
  );
  const calls = database.query<
    Omit<LinkableCall, "linkedBy"> & { seq: number; linkedBy: string },
    [number, number]
  >(`SELECT seq, ${callColumns},
       (SELECT json_group_array(linked.instrumentation) FROM linked_spans linked WHERE linked.event_id = events.id) AS linkedBy
     FROM events WHERE seq > ? ORDER BY seq LIMIT ?`);
  return {
    has: id => byId.get(id) !== null,
    gatewayCall: (id, orgId, mode) => gatewayCall.get(id, orgId, mode),
    gatewayCallAt: (seq, orgId, mode) => gatewayCallAt.get(seq, orgId, mode),
    newestSeq: () => newest.get()?.seq ?? 0,
    isLinked: id => linked.get(id) !== null,
    answeredAfter: (seq, atMost) => answered.all(seq, atMost),
    callsAfter: (seq, atMost) =>
      calls.all(seq, atMost).map(row => ({ ...row, linkedBy: JSON.parse(row.linkedBy) as string[] })),
  };
}
