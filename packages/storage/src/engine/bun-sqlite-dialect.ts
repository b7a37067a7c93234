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
 * Kysely over one `bun:sqlite` connection. Its holder has it exclusively, a transaction until its end, so no other
 * request can slip a statement in. Inside a transaction, query through the transaction: querying the database would
 * deadlock.
 */
export class BunSqliteDialect implements Dialect {
  constructor(private readonly database: Database) {}

  createDriver = (): Driver => new BunSqliteDriver(this.database);
  createAdapter = () => new BunSqliteAdapter();
  createQueryCompiler = () => new SqliteQueryCompiler();
  // biome-ignore lint/suspicious/noExplicitAny: the interface of Kysely says so.
  createIntrospector = (db: Kysely<any>): DatabaseIntrospector => new SqliteIntrospector(db);
}

/** SQLite rolls a change of the schema back like any other: a migration can be one transaction. */
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
    // Handed over while it still counts as taken, so that nothing can get in between.
    if (next) next();
    else this.#taken = false;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // Another process may write too. A lock taken at the start can be waited for; one taken in the middle fails at
    // once.
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
    // Kysely's parameters come from typed queries: text, numbers, null.
    const parameters = query.parameters as SQLQueryBindings[];
    if (hasRows) return { rows: statement.all(...parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
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
    // A statement remembers the columns that it was prepared with.
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
