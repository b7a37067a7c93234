import type { SQLQueryBindings } from "bun:sqlite";
import type { CompiledQuery } from "kysely";

/**
 * A request to the thread and its answer. Rows travel as JSON, which is several times faster than a structured clone.
 */
export interface AsideQuestion {
  readonly id: number;
  readonly path: string;
  readonly sql: string;
  readonly parameters: readonly SQLQueryBindings[];
}

export type AsideAnswer =
  | { readonly id: number; readonly columns: readonly string[]; readonly rows: string }
  | { readonly id: number; readonly fault: string };

interface Waiting {
  readonly resolve: (answer: { columns: readonly string[]; rows: string }) => void;
  readonly reject: (fault: Error) => void;
}

/**
 * Long reads of SQLite. The process has one thread and `bun:sqlite` is synchronous: while it sums half a million
 * rows, no request, alert or message is served. So these reads go to a thread with its own connection, started at the
 * first one. It sees what was committed before; short reads are faster without it.
 */
export class AsideReader {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(private readonly path: string) {}

  async rows<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { columns, rows } = await this.#ask(sql, parameters as readonly SQLQueryBindings[]);
    // A row has as many values as there are columns: the thread wrote both.
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

  #ask(sql: string, parameters: readonly SQLQueryBindings[]) {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#asked++;
    return new Promise<{ columns: readonly string[]; rows: string }>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const question: AsideQuestion = { id, path: this.path, sql, parameters };
      // The thread keeps the process alive only while an answer is pending.
      worker.ref();
      worker.postMessage(question);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("./read-aside-thread.ts", import.meta.url).href, { smol: true });
    worker.onmessage = ({ data }: MessageEvent<AsideAnswer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (this.#waiting.size === 0) worker.unref();
      if ("fault" in data) waiting?.reject(new Error(data.fault));
      else waiting?.resolve(data);
    };
    worker.onerror = ({ message }) => this.#end(new Error(`the long-read thread has ended: ${message}`));
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
