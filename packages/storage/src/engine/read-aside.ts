import type { SQLQueryBindings } from "bun:sqlite";
import type { CompiledQuery } from "kysely";

/** What the thread is asked, and what it answers. Rows go as JSON: that is read several times as fast as a copy. */
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
 * Long reads of SQLite. The process has one thread and `bun:sqlite` never waits: while it adds up half a million rows
 * nobody is answered, alerted or sent anything. So those go to a thread with a connection of its own, started when the
 * first one is asked. It reads what was committed before; short reads are faster without it.
 */
export class AsideReader {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(private readonly path: string) {}

  async rows<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    const { columns, rows } = await this.#ask(sql, parameters as readonly SQLQueryBindings[]);
    // As many values a row as there are columns: the thread wrote both.
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
      // The process stays for an answer, and for nothing else of the thread's.
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

  /** The next question starts another. */
  #end(fault: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}
