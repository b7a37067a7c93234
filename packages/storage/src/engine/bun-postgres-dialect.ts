import type { ReservedSQL, SQL } from "bun";
import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";

import { asUnavailable } from "./database-unavailable.ts";

/**
 * Kysely over Bun's PostgreSQL client, which must be opened with `bigint: true`: 64-bit columns arrive as bigint and
 * are returned as numbers, like SQLite's.
 */
export class BunPostgresDialect implements Dialect {
  constructor(private readonly sql: SQL) {}

  createDriver = (): Driver => new BunPostgresDriver(this.sql);
  createAdapter = () => new BunPostgresAdapter();
  createQueryCompiler = () => new PostgresQueryCompiler();
  // biome-ignore lint/suspicious/noExplicitAny: required by Kysely's interface.
  createIntrospector = (db: Kysely<any>): DatabaseIntrospector => new PostgresIntrospector(db);
}

/**
 * Migrations run in a transaction that holds its own lock (migrate-control.ts). Kysely's lock belongs to the
 * connection: releasing it in a failed transaction throws another error, which would hide the first.
 */
class BunPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class BunPostgresDriver implements Driver {
  constructor(private readonly sql: SQL) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<BunPostgresConnection> {
    try {
      return new BunPostgresConnection(await this.sql.reserve());
    } catch (fault) {
      throw asUnavailable(fault);
    }
  }

  async releaseConnection(connection: BunPostgresConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: BunPostgresConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` ISOLATION LEVEL ${settings.isolationLevel}` : "";
    const access = settings.accessMode ? ` ${settings.accessMode}` : "";
    await connection.executeQuery(CompiledQuery.raw(`START TRANSACTION${level}${access}`));
  }

  async commitTransaction(connection: BunPostgresConnection): Promise<void> {
    // A failed transaction ends in a rollback, whatever was requested.
    if ((await connection.run("COMMIT", [])).command === "ROLLBACK") throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: BunPostgresConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("ROLLBACK"));
  }

  async destroy(): Promise<void> {
    await this.sql.close();
  }
}

type Answer = Record<string, unknown>[] & { readonly command?: string; readonly count?: number | null };

class BunPostgresConnection implements DatabaseConnection {
  constructor(private readonly reserved: ReservedSQL) {}

  release(): void {
    this.reserved.release();
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    try {
      return (await this.reserved.unsafe(sql, [...parameters])) as Answer;
    } catch (fault) {
      throw asUnavailable(fault);
    }
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const answer = await this.run(query.sql, query.parameters);
    for (const row of answer) {
      for (const column in row) {
        const value = row[column];
        if (typeof value === "bigint") row[column] = toNumber(value, column);
      }
    }
    // Several statements at once (a migration) have no single count.
    const changed =
      answer.command === "SELECT" || typeof answer.count !== "number"
        ? {}
        : { numAffectedRows: BigInt(answer.count) };
    // The query's own type describes its rows.
    return { rows: [...answer] as Row[], ...changed };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}

/** An integer that JavaScript cannot represent exactly must fail instead of being silently rounded. */
function toNumber(value: bigint, column: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${column} is beyond 2^53`);
  return number;
}
