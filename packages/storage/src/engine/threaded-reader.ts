import type { SQLQueryBindings } from "bun:sqlite";
import type { CompiledQuery } from "kysely";

/** A request to the thread and its response. Rows are sent as JSON, several times faster than a structured clone. */
export interface ReaderRequest {
  readonly id: number;
  readonly path: string;
  readonly sql: string;
  readonly parameters: readonly SQLQueryBindings[];
}

export type ReaderResponse =
  | { readonly id: number; readonly columns: readonly string[]; readonly rows: string }
  | { readonly id: number; readonly fault: string };

interface Waiting {
  readonly resolve: (answer: { columns: readonly string[]; rows: string }) => void;
  readonly reject: (fault: Error) => void;
}

/**
 * Runs long SQLite reads in a worker thread with its own connection, started at the first one. `bun:sqlite` is
 * synchronous: while the main thread sums half a million rows, it serves no request, alert or message. A read sees
 * everything committed before it; short reads are faster without the thread.
 */
export class ThreadedReader {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;

  constructor(private readonly path: string) {}

  /** Reads that are under way or wait for their turn. */
  get pending(): number {
    return this.#waiting.size;
  }

  async rows<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { columns, rows } = await this.#send(sql, parameters as readonly SQLQueryBindings[]);
    // The thread wrote both, so each row has one value per column.
    const values = JSON.parse(rows) as unknown[][];
    return values.map(row => {
      const named: Record<string, unknown> = {};
      for (const [at, column] of columns.entries()) named[column] = row[at];
      return named as Row;
    });
  }

  close(): void {
    this.#end(new Error("the database is closed"));
  }

  #send(sql: string, parameters: readonly SQLQueryBindings[]) {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#nextId++;
    return new Promise<{ columns: readonly string[]; rows: string }>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const request: ReaderRequest = { id, path: this.path, sql, parameters };
      // The thread keeps the process alive only while a response is pending.
      worker.ref();
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("./reader-thread.ts", import.meta.url).href, { smol: true });
    worker.onmessage = ({ data }: MessageEvent<ReaderResponse>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (this.#waiting.size === 0) worker.unref();
      if ("fault" in data) waiting?.reject(new Error(data.fault));
      else waiting?.resolve(data);
    };
    worker.onerror = ({ message }) => this.#end(new Error(`the reader thread died: ${message}`));
    return worker;
  }

  /** The next request starts a new thread. */
  #end(fault: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}
