/**
 * A database that records what is changed through it, in the change's own transaction: a statement outside of a
 * transaction gets one. Only statements of the query builder are seen, and raw SQL changes no audited table.
 */
import {
  type AccessMode,
  type CompiledQuery,
  type IsolationLevel,
  QueryCreator,
  type QueryExecutor,
  type QueryResult,
  type TransactionBuilder,
} from "kysely";
import { auditedTables } from "../database/audited-tables.ts";
import type { ControlDb, ControlSchema, ControlTransaction, TableName } from "../database/schema.ts";
import type { AuditedRow, AuditTrail, RowChange, RowChanges } from "./audit-trail.ts";
import { countOmitted, type Find, readRows, targetOf } from "./written-rows.ts";

type Run = <R>(query: CompiledQuery<R>) => Promise<QueryResult<R>>;

export function auditedDb(db: ControlDb, trail: AuditTrail): ControlDb {
  const within = <Result>(
    start: (work: (transaction: ControlTransaction) => Promise<Result>) => Promise<Result>,
    work: (transaction: ControlTransaction) => Promise<Result>,
  ) =>
    start(async transaction => {
      const changes: RowChanges = { rows: [], omitted: 0 };
      const result = await work(recording(transaction, changes));
      await trail.write(transaction, changes);
      return result;
    });
  const alone: Run = query =>
    within(
      work => db.transaction().execute(work),
      transaction => transaction.executeQuery(query),
    );
  const recorded = (builder: TransactionBuilder<ControlSchema>): unknown => ({
    execute: (work: (transaction: ControlTransaction) => Promise<unknown>) =>
      within(inside => builder.execute(inside), work),
    setIsolationLevel: (level: IsolationLevel) => recorded(builder.setIsolationLevel(level)),
    setAccessMode: (mode: AccessMode) => recorded(builder.setAccessMode(mode)),
  });
  const transaction = () => recorded(db.transaction());
  return withWrites(db, alone, { transaction });
}

/** A transaction that notes the rows it changes. */
function recording(transaction: ControlTransaction, changes: RowChanges): ControlTransaction {
  const run: Run = query => record(transaction, query, changes);
  // `executeQuery` too: a statement outside of a transaction arrives here compiled.
  return withWrites(transaction, run, { executeQuery: run });
}

const writes = ["insertInto", "replaceInto", "updateTable", "deleteFrom", "mergeInto"] as const;

/** The same database, whose statements that change something are run by `run`. */
function withWrites<Db extends ControlDb>(db: Db, run: Run, own: Readonly<Record<string, unknown>>): Db {
  const creator = new QueryCreator<ControlSchema>({ executor: new WritingExecutor(db.getExecutor(), run) });
  const replaced: Record<string, unknown> = { ...own };
  for (const name of writes) replaced[name] = creator[name].bind(creator);
  return new Proxy(db, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(replaced, name)) return replaced[name];
      const value: unknown = Reflect.get(target, name, target);
      // Its private fields are not reachable through a proxy.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

class WritingExecutor implements QueryExecutor {
  constructor(
    private readonly inner: QueryExecutor,
    private readonly run: Run,
  ) {}

  get adapter() {
    return this.inner.adapter;
  }
  get plugins() {
    return this.inner.plugins;
  }
  transformQuery: QueryExecutor["transformQuery"] = (...args) => this.inner.transformQuery(...args);
  compileQuery: QueryExecutor["compileQuery"] = (...args) => this.inner.compileQuery(...args);
  executeQuery<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> {
    return this.run(query);
  }
  stream: QueryExecutor["stream"] = (...args) => this.inner.stream(...args);
  provideConnection: QueryExecutor["provideConnection"] = (...args) => this.inner.provideConnection(...args);
  withConnectionProvider: QueryExecutor["withConnectionProvider"] = provider =>
    this.inner.withConnectionProvider(provider);
  withPlugin: QueryExecutor["withPlugin"] = plugin => this.inner.withPlugin(plugin);
  withPlugins: QueryExecutor["withPlugins"] = plugins => this.inner.withPlugins(plugins);
  withPluginAtFront: QueryExecutor["withPluginAtFront"] = plugin => this.inner.withPluginAtFront(plugin);
  withoutPlugins: QueryExecutor["withoutPlugins"] = () => this.inner.withoutPlugins();
}

async function record<R>(
  transaction: ControlTransaction,
  query: CompiledQuery<R>,
  changes: RowChanges,
): Promise<QueryResult<R>> {
  const target = targetOf(query.query);
  if (target === null) return await transaction.executeQuery(query);
  const { table, find } = target;
  const before = await readRows(transaction, table, find);
  const omitted = await countOmitted(transaction, table, find, before.length);
  const result = await transaction.executeQuery(query);
  const key = auditedTables[table]?.key ?? [];
  const afterwards: Find = target.isInsert
    ? find
    : { columns: key, rows: before.map(row => key.map(name => row[name])) };
  changes.rows.push(...pairs(table, key, before, await readRows(transaction, table, afterwards)));
  changes.omitted += omitted;
  return result;
}

function pairs(
  table: TableName,
  key: readonly string[],
  before: readonly AuditedRow[],
  after: readonly AuditedRow[],
): RowChange[] {
  const nameOf = (row: AuditedRow) => JSON.stringify(key.map(name => row[name]));
  const later = new Map(after.map(row => [nameOf(row), row]));
  const changes = before.map((row): RowChange => {
    const name = nameOf(row);
    const now = later.get(name) ?? null;
    later.delete(name);
    return { table, before: row, after: now };
  });
  return [...changes, ...[...later.values()].map(row => ({ table, before: null, after: row }))];
}
