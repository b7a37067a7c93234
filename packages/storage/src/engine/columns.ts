import type { Generated } from "kysely";

/**
 * A column, the same on both engines. `Type` is what queries are checked against; `Value` is the union of its enum
 * values, or `never` for free text.
 */
export interface Column<Type = unknown, Value extends string = string> {
  readonly kind: "text" | "integer" | "real";
  readonly isNullable: boolean;
  /** Filled in by the database when an insert omits it. */
  readonly hasDefault: boolean;
  readonly enumValues: readonly Value[] | null;
  /** Only for the compiler. */
  readonly type?: Type;
}

/** The columns of tables, by name. */
export type TableDeclarations = Readonly<Record<string, Readonly<Record<string, Column>>>>;

const plain = { isNullable: false, hasDefault: false, enumValues: null } as const;

export const text: Column<string, never> = { kind: "text", ...plain };
export const integer: Column<number, never> = { kind: "integer", ...plain };
export const real: Column<number, never> = { kind: "real", ...plain };

/** An enum column, checked by `fromRow`. */
export function oneOf<const Value extends string>(enumValues: readonly Value[]): Column<string, Value> {
  return { kind: "text", isNullable: false, hasDefault: false, enumValues };
}

export function orNull<Type, Value extends string>(column: Column<Type, Value>): Column<Type | null, Value> {
  return { ...column, isNullable: true };
}

export function withDefault<Type, Value extends string>(
  column: Column<Type, Value>,
): Column<Generated<Type>, Value> {
  const { kind, isNullable, enumValues } = column;
  return { kind, isNullable, hasDefault: true, enumValues };
}

/** Declares the same column under several names. */
export function eachOf<Name extends string, C extends Column>(
  names: readonly Name[],
  column: C,
): { readonly [name in Name]: C } {
  return Object.fromEntries(names.map(name => [name, column])) as { readonly [name in Name]: C };
}
