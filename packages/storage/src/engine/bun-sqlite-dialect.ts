import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";

/**
 * Kysely over `bun:sqlite`. Each connection is held exclusively for a statement or a whole transaction, so no other request
 * can interleave a statement. Inside a transaction, query through the transaction: querying the database would
 * deadlock. With a second connection for reading, queries do not wait for a transaction that writes.
 */
export class BunSqliteDialect implements Dialect {
  constructor(
    private readonly database: Database,
    private readonly reader?: Database,
  ) {}

  createDriver = (): Driver => new BunSqliteDriver(this.database, this.reader);
  createAdapter = () => new BunSqliteAdapter();
  createQueryCompiler = () => new SqliteQueryCompiler();
  // biome-ignore lint/suspicious/noExplicitAny: required by Kysely's interface.
  createIntrospector = (db: Kysely<any>): DatabaseIntrospector => new SqliteIntrospector(db);
}

class BunSqliteAdapter extends SqliteAdapter {
  /** The driver itself makes requests wait for each other where necessary. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** SQLite can roll back schema changes, so a migration can be one transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class BunSqliteDriver implements Driver {
  readonly #writer: Lane;
  readonly #reader: Lane;

  constructor(database: Database, reader: Database | undefined) {
    this.#writer = new Lane(database);
    this.#reader = reader === undefined ? this.#writer : new Lane(reader);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LazyConnection> {
    return new LazyConnection(this.#writer, this.#reader);
  }

  async releaseConnection(connection: LazyConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: LazyConnection, settings: TransactionSettings): Promise<void> {
    // Another process may write too. Waiting for a lock works only at the start; in mid-transaction it fails
    // immediately.
    const isReading = settings.accessMode === "read only";
    await connection.hold(isReading ? "reading" : "writing");
    await connection.executeQuery(CompiledQuery.raw(isReading ? "BEGIN" : "BEGIN IMMEDIATE"));
  }

  async commitTransaction(connection: LazyConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }

  async rollbackTransaction(connection: LazyConnection): Promise<void> {
    // Some errors (a full disk) have already rolled back.
    if (connection.inTransaction) await connection.executeQuery(CompiledQuery.raw("ROLLBACK"));
  }

  async destroy(): Promise<void> {
    if (this.#reader !== this.#writer) this.#reader.close();
    this.#writer.close();
  }
}

/** A connection to the file, used by one request after another. */
class Lane {
  readonly connection: BunSqliteConnection;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(readonly database: Database) {
    this.connection = new BunSqliteConnection(database);
  }

  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#taken = true;
  }

  giveUp(): void {
    const next = this.#waiting.shift();
    // It stays marked as taken while it is handed over, so that no other request can take it.
    if (next) next();
    else this.#taken = false;
  }

  close(): void {
    this.connection.forgetStatements();
    this.database.close();
  }
}

const READS = /^\s*select\b/i;

/** Chooses a lane when its first statement shows whether it reads or writes, and holds it until released. */
class LazyConnection implements DatabaseConnection {
  #lane: Lane | null = null;

  constructor(
    private readonly writer: Lane,
    private readonly reader: Lane,
  ) {}

  get inTransaction(): boolean {
    return this.#lane?.database.inTransaction === true;
  }

  async hold(purpose: "reading" | "writing"): Promise<Lane> {
    if (this.#lane !== null) return this.#lane;
    const lane = purpose === "reading" ? this.reader : this.writer;
    await lane.take();
    this.#lane = lane;
    return lane;
  }

  release(): void {
    this.#lane?.giveUp();
    this.#lane = null;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const lane = this.#lane ?? (await this.hold(READS.test(query.sql) ? "reading" : "writing"));
    return lane.connection.executeQuery<Row>(query);
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}

const MAX_STATEMENTS = 200;
const KEEPS_THE_SCHEMA = /^\s*(select|insert|update|delete|with|pragma|begin|commit|rollback)\b/i;

interface Prepared {
  readonly statement: Statement<unknown, SQLQueryBindings[]>;
  readonly hasRows: boolean;
}

class BunSqliteConnection {
  readonly #statements = new Map<string, Prepared>();

  constructor(private readonly database: Database) {}

  executeQuery<Row>(query: CompiledQuery): QueryResult<Row> {
    const { statement, hasRows } = this.#prepare(query.sql);
    // Kysely's parameters come from typed queries: text, numbers, null. As one array: a batch has thousands of them.
    const parameters = query.parameters as unknown as SQLQueryBindings;
    if (hasRows) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  forgetStatements(): void {
    for (const { statement } of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }

  #prepare(sql: string): Prepared {
    // A prepared statement keeps the columns that it was prepared with.
    if (!KEEPS_THE_SCHEMA.test(sql)) this.forgetStatements();
    const known = this.#statements.get(sql);
    if (known) return known;
    const [oldest] = this.#statements;
    if (oldest && this.#statements.size >= MAX_STATEMENTS) {
      oldest[1].statement.finalize();
      this.#statements.delete(oldest[0]);
    }
    const statement = this.database.prepare<unknown, SQLQueryBindings[]>(sql);
    const prepared = { statement, hasRows: statement.columnNames.length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
