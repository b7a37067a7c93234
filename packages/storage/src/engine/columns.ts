import type { Generated } from "kysely";

/**
 * A column, the same on both engines. `Type` is what queries are checked against; `Word` is the union of its enum
 * values, or `never` for free text.
 */
export interface Column<Type = unknown, Word extends string = string> {
  readonly kind: "text" | "integer" | "real";
  readonly isNullable: boolean;
  /** Filled in by the database when an insert omits it. */
  readonly hasDefault: boolean;
  readonly words: readonly Word[] | null;
  /** Only for the compiler. */
  readonly type?: Type;
}

const plain = { isNullable: false, hasDefault: false, words: null } as const;

export const text: Column<string, never> = { kind: "text", ...plain };
export const integer: Column<number, never> = { kind: "integer", ...plain };
export const real: Column<number, never> = { kind: "real", ...plain };

/** An enum column, checked by `fromRow`. */
export function oneOf<const Word extends string>(words: readonly Word[]): Column<string, Word> {
  return { kind: "text", isNullable: false, hasDefault: false, words };
}

export function orNull<Type, Word extends string>(column: Column<Type, Word>): Column<Type | null, Word> {
  return { ...column, isNullable: true };
}

export function withDefault<Type, Word extends string>(
  column: Column<Type, Word>,
): Column<Generated<Type>, Word> {
  const { kind, isNullable, words } = column;
  return { kind, isNullable, hasDefault: true, words };
}

/** Declares the same column under several names. */
export function eachOf<Name extends string, C extends Column>(
  names: readonly Name[],
  column: C,
): { readonly [name in Name]: C } {
  return Object.fromEntries(names.map(name => [name, column])) as { readonly [name in Name]: C };
}
