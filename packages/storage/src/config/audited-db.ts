/**
 * A database that records what is changed through it, in the change's own transaction: a statement outside of a
 * transaction gets one. Only statements of the query builder are seen, and raw SQL changes no audited table.
 */
import {
  type AccessMode,
  type CompiledQuery,
  type DeleteQueryNode,
  ExpressionWrapper,
  type InsertQueryNode,
  type IsolationLevel,
  type Kysely,
  type OperationNode,
  QueryCreator,
  type QueryExecutor,
  type QueryResult,
  type SqlBool,
  TableNode,
  type TransactionBuilder,
  type UpdateQueryNode,
  ValueNode,
  ValuesNode,
} from "kysely";
import { auditedTables } from "../database/audited-tables.ts";
import {
  type ControlDb,
  type ControlSchema,
  type ControlTransaction,
  type TableName,
  tables,
} from "../database/schema.ts";
import {
  type AuditedRow,
  type AuditTrail,
  MAX_RECORDED_ROWS,
  type RowChange,
  type RowChanges,
} from "./audit-trail.ts";

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

/** Rows by a condition, or by the values of some columns. */
type Find =
  | { readonly where: OperationNode }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] };

interface Target {
  readonly table: TableName;
  readonly isInsert: boolean;
  /** Finds the rows before the statement; after an insert also the new ones. */
  readonly find: Find;
}

/** null: no rows of an audited table. */
function targetOf(node: OperationNode): Target | null {
  switch (node.kind) {
    case "InsertQueryNode": {
      const insert = node as InsertQueryNode;
      const table = auditedName(insert.into);
      return table && { table, isInsert: true, find: insertedRows(insert, table) };
    }
    case "UpdateQueryNode": {
      const update = node as UpdateQueryNode;
      const table = auditedName(update.table);
      return table && update.where ? { table, isInsert: false, find: { where: update.where.where } } : null;
    }
    case "DeleteQueryNode": {
      const deletion = node as DeleteQueryNode;
      const table = auditedName(deletion.from.froms[0]);
      return table && deletion.where
        ? { table, isInsert: false, find: { where: deletion.where.where } }
        : null;
    }
    default:
      return null;
  }
}

function auditedName(node: OperationNode | undefined): TableName | null {
  if (node === undefined || !TableNode.is(node)) return null;
  const { name } = node.table.identifier;
  return Object.hasOwn(tables, name) && Object.hasOwn(auditedTables, name) ? (name as TableName) : null;
}

/** By the columns that would conflict: an existing row may be kept or changed instead. */
function insertedRows({ columns = [], values, onConflict }: InsertQueryNode, table: TableName): Find {
  const conflicting =
    onConflict?.columns?.map(({ column }) => column.name) ?? auditedTables[table]?.key ?? [];
  const names = columns.map(({ column }) => column.name);
  const places = conflicting.map(name => names.indexOf(name));
  const rows = values !== undefined && ValuesNode.is(values) ? values.values : [];
  return {
    columns: conflicting,
    rows: rows.map(row =>
      places.map(place => {
        const value: unknown = row.values[place];
        return isNode(value) && ValueNode.is(value) ? value.value : value;
      }),
    ),
  };
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === "object" && value !== null && "kind" in value;
}

async function readRows(
  transaction: ControlTransaction,
  table: TableName,
  find: Find,
): Promise<AuditedRow[]> {
  const query = anyTable(transaction).selectFrom(table).selectAll().limit(MAX_RECORDED_ROWS);
  if ("where" in find) return await query.where(() => conditionOf(find.where)).execute();
  const { columns, rows } = find;
  if (rows.length === 0 || columns.length === 0) return [];
  return await query
    .where(({ eb, and, or, ref }) =>
      or(
        rows
          .slice(0, MAX_RECORDED_ROWS)
          .map(row => and(columns.map((name, index) => eb(ref(name), "=", row[index])))),
      ),
    )
    .execute();
}

function conditionOf(where: OperationNode): ExpressionWrapper<AnyTable, TableName, SqlBool> {
  return new ExpressionWrapper(where);
}

/** Any table, with rows of any columns: for all tables of the schema at once, the compiler would need seconds. */
type AnyTable = Readonly<Record<TableName, AuditedRow>>;

/** Names of tables and columns come from `auditedTables` and from the statement itself. */
function anyTable(transaction: ControlTransaction): Kysely<AnyTable> {
  return transaction as unknown as Kysely<AnyTable>;
}

/** Rows of a statement beyond those that `readRows` reads. */
async function countOmitted(
  transaction: ControlTransaction,
  table: TableName,
  find: Find,
  read: number,
): Promise<number> {
  if ("rows" in find) return Math.max(0, find.rows.length - MAX_RECORDED_ROWS);
  if (read < MAX_RECORDED_ROWS) return 0;
  const { all } = await anyTable(transaction)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("all"))
    .where(() => conditionOf(find.where))
    .executeTakeFirstOrThrow();
  return Number(all) - read;
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
