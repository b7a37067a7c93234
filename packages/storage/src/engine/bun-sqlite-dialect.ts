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
 * Kysely over one `bun:sqlite` connection, held exclusively for a statement or a whole transaction, so no other request
 * can interleave a statement. Inside a transaction, query through the transaction: querying the database would
 * deadlock.
 */
export class BunSqliteDialect implements Dialect {
  constructor(private readonly database: Database) {}

  createDriver = (): Driver => new BunSqliteDriver(this.database);
  createAdapter = () => new BunSqliteAdapter();
  createQueryCompiler = () => new SqliteQueryCompiler();
  // biome-ignore lint/suspicious/noExplicitAny: required by Kysely's interface.
  createIntrospector = (db: Kysely<any>): DatabaseIntrospector => new SqliteIntrospector(db);
}

/** SQLite can roll back schema changes, so a migration can be one transaction. */
class BunSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class BunSqliteDriver implements Driver {
  readonly #connection: BunSqliteConnection;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(private readonly database: Database) {
    this.#connection = new BunSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    // Handed over while still marked as taken, so that no other request gets in between.
    if (next) next();
    else this.#taken = false;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Another process may write too. Waiting for a lock works only at the start; in mid-transaction it fails
    // immediately.
    const begin = settings.accessMode === "read only" ? "BEGIN" : "BEGIN IMMEDIATE";
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (a full disk) have already rolled back.
    if (this.database.inTransaction) await connection.executeQuery(CompiledQuery.raw("ROLLBACK"));
  }

  async destroy(): Promise<void> {
    this.#connection.forgetStatements();
    this.database.close();
  }
}

const MAX_STATEMENTS = 200;
const KEEPS_THE_SCHEMA = /^\s*(select|insert|update|delete|with|pragma|begin|commit|rollback)\b/i;

interface Prepared {
  readonly statement: Statement<unknown, SQLQueryBindings[]>;
  readonly hasRows: boolean;
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #statements = new Map<string, Prepared>();

  constructor(private readonly database: Database) {}

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, hasRows } = this.#prepare(query.sql);
    // Kysely's parameters come from typed queries: text, numbers, null. As one array: a batch has thousands of them.
    const parameters = query.parameters as unknown as SQLQueryBindings;
    if (hasRows) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
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
