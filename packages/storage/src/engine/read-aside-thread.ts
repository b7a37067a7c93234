/** The worker thread of `read-aside.ts`. It can only read. */
import type { Database } from "bun:sqlite";
import type { AsideAnswer, AsideQuestion } from "./read-aside.ts";
import { openForReading } from "./sqlite.ts";

declare const self: Worker;

let database: Database | null = null;

self.onmessage = ({ data }: MessageEvent<AsideQuestion>) => self.postMessage(answer(data));

function open(path: string): Database {
  const opened = openForReading(path);
  opened.run("PRAGMA mmap_size = 1073741824");
  return opened;
}

function answer({ id, path, sql, parameters }: AsideQuestion): AsideAnswer {
  try {
    database ??= open(path);
    // Cached by the database and reused: there are only a few.
    const statement = database.query(sql);
    const rows = statement.values(...parameters);
    return { id, columns: statement.columnNames, rows: JSON.stringify(rows) };
  } catch (fault) {
    return { id, fault: fault instanceof Error ? fault.message : "the query failed" };
  }
}
