import type { Event } from "@tollgate/core/event";
import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";
import { isReported } from "./is-reported.ts";
import { readSharedBeginning } from "./shared-beginning.ts";

type NodeEvent = Pick<Event, "org_id" | "id" | "source" | "created_at"> & { readonly seq: number };

/** The ids of a migrated ledger's removed events have no organization. */
export const UNKNOWN_ORGANIZATION = "";

/** Those of a node's events that the shared ledger once had and retention has removed, by id. */
export async function removedFromShared(
  db: ControlDb,
  nodeId: string,
  events: readonly NodeEvent[],
): Promise<ReadonlySet<string>> {
  const { position, atMs } = await readSharedBeginning(db);
  if (position === 0) return new Set();
  const node = await db
    .selectFrom("shared_removed_nodes")
    .select("seq")
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  // By both: a restored ledger assigns the same seqs to newer events. A reported one may be new and have an old time.
  const gone = events.filter(
    event => event.seq <= (node?.seq ?? 0) && event.created_at < atMs && !isReported(event),
  );
  return new Set([...gone.map(({ id }) => id), ...(await reportedBefore(db, events))]);
}

async function reportedBefore(db: ControlDb, events: readonly NodeEvent[]): Promise<string[]> {
  const ids = JSON.stringify(
    events.flatMap(({ org_id, id }) => [
      { org_id, id },
      { org_id: UNKNOWN_ORGANIZATION, id },
    ]),
  );
  const { rows } = await sql<Pick<Event, "id">>`
    SELECT id FROM shared_removed_ids WHERE (org_id, id) IN
      (SELECT org_id, id FROM json_to_recordset(CAST(CAST(${ids} AS TEXT) AS JSON)) AS sent (org_id TEXT, id TEXT))
  `.execute(db);
  return rows.map(({ id }) => id);
}
