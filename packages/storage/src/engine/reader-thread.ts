/** The worker thread of `threaded-reader.ts`: a read-only connection. */
import type { Database } from "bun:sqlite";
import { openMapped } from "./sqlite.ts";
import type { ReaderRequest, ReaderResponse } from "./threaded-reader.ts";

declare const self: Worker;

let database: Database | null = null;

self.onmessage = ({ data }: MessageEvent<ReaderRequest>) => self.postMessage(answer(data));

function answer({ id, path, sql, parameters }: ReaderRequest): ReaderResponse {
  try {
    database ??= openMapped(path);
    // The database caches prepared statements; there are only a few.
    const statement = database.query(sql);
    const rows = statement.values(...parameters);
    return { id, columns: statement.columnNames, rows: JSON.stringify(rows) };
  } catch (fault) {
    return { id, fault: fault instanceof Error ? fault.message : "the query failed" };
  }
}
