/** The rows that a statement writes to audited tables. */
import {
  type DeleteQueryNode,
  ExpressionWrapper,
  type InsertQueryNode,
  type Kysely,
  type OperationNode,
  type SqlBool,
  TableNode,
  type UpdateQueryNode,
  ValueNode,
  ValuesNode,
} from "kysely";
import { auditedTables } from "../database/audited-tables.ts";
import { type ControlTransaction, type TableName, tables } from "../database/schema.ts";
import { type AuditedRow, MAX_RECORDED_ROWS } from "./audit-trail.ts";

/** Rows by a condition, or by the values of some columns. */
export type Find =
  | { readonly where: OperationNode }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] };

interface Target {
  readonly table: TableName;
  readonly isInsert: boolean;
  /** Finds the rows before the statement; after an insert also the new ones. */
  readonly find: Find;
}

/** null: no rows of an audited table. */
export function targetOf(node: OperationNode): Target | null {
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

export async function readRows(
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
export async function countOmitted(
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
