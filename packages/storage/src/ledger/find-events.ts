import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";

export interface AnsweredCall {
  readonly seq: number;
  readonly org_id: string;
  readonly mode: Mode;
  readonly source: string;
  readonly response_id: string | null;
}

export interface EventFinder {
  has(id: string): boolean;
  /** Whether a call of this organization went through the gateway under this id. */
  hasGatewayCall(id: string, orgId: string, mode: Mode): boolean;
  newestSeq(): number;
  /** What providers called their answers, in the order of the ledger. */
  answeredAfter(seq: number, atMost: number): AnsweredCall[];
}

/** Look-ups for ingestion on the writer's own connection. They use the ledger's id and its order, no other index. */
export function findEvents(database: Database): EventFinder {
  const byId = database.query<{ found: number }, [string]>("SELECT 1 AS found FROM events WHERE id = ?");
  const gatewayCall = database.query<{ found: number }, [string, string, string]>(
    "SELECT 1 AS found FROM events WHERE id = ? AND org_id = ? AND mode = ? AND source = 'gateway'",
  );
  const newest = database.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events");
  const answered = database.query<AnsweredCall, [number, number]>(
    "SELECT seq, org_id, mode, source, response_id FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
  );
  return {
    has: id => byId.get(id) !== null,
    hasGatewayCall: (id, orgId, mode) => gatewayCall.get(id, orgId, mode) !== null,
    newestSeq: () => newest.get()?.seq ?? 0,
    answeredAfter: (seq, atMost) => answered.all(seq, atMost),
  };
}
