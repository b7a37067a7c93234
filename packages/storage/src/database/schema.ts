import type { Kysely, Selectable, Transaction } from "kysely";
import type { Column, TableDeclarations } from "../engine/columns.ts";
import { configurationTables } from "./tables/configuration-tables.ts";
import { messageTables } from "./tables/message-tables.ts";
import { optimizationTables } from "./tables/optimization-tables.ts";
import { readModelTables } from "./tables/read-model-tables.ts";
import { sharedLedgerTables } from "./tables/shared-ledger-tables.ts";
import { verificationTables } from "./tables/verification-tables.ts";

/**
 * The control plane's tables, the same on SQLite and PostgreSQL; `schema.test.ts` compares them with what the
 * migrations create. Times are epoch milliseconds, amounts integers, JSON is text and booleans are 1 or 0, so nothing
 * depends on an engine's types.
 */
export const tables = {
  ...configurationTables,
  ...messageTables,
  ...optimizationTables,
  ...verificationTables,
  ...sharedLedgerTables,
  ...readModelTables,
} as const satisfies TableDeclarations;

type Tables = typeof tables;
export type TableName = keyof Tables;

export type ControlSchema = {
  [T in TableName]: { [C in keyof Tables[T]]: Tables[T][C] extends Column<infer Type> ? Type : never };
};

/** The control plane's database, or a transaction on it. */
export type ControlDb = Kysely<ControlSchema>;
export type ControlTransaction = Transaction<ControlSchema>;

/** The enum values of a column; `never` if it is free text or not text. */
export type EnumValue<T extends TableName, C> = C extends keyof Tables[T]
  ? Tables[T][C] extends Column<unknown, infer Value>
    ? Value
    : never
  : never;

/** A row as returned by `fromRow`: enum columns have their narrow types. */
export type Parsed<T extends TableName, Row> = {
  [C in keyof Row]: [EnumValue<T, C>] extends [never] ? Row[C] : EnumValue<T, C> | Extract<Row[C], null>;
};

/** A row as the database returns it. */
export type StoredRow<T extends TableName> = Selectable<ControlSchema[T]>;

export type TableRow<T extends TableName> = Parsed<T, StoredRow<T>>;
