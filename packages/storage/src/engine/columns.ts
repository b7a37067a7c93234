import type { Generated } from "kysely";

/**
 * A column, as it is on both engines. `Type` is what queries are checked against; `Word` is one of the texts that the
 * column may hold, and `never` where it may hold any.
 */
export interface Column<Type = unknown, Word extends string = string> {
  readonly kind: "text" | "integer" | "real";
  readonly isNullable: boolean;
  /** The database fills it in where an insert leaves it out. */
  readonly hasDefault: boolean;
  readonly words: readonly Word[] | null;
  /** For the compiler alone. */
  readonly type?: Type;
}

const plain = { isNullable: false, hasDefault: false, words: null } as const;

export const text: Column<string, never> = { kind: "text", ...plain };
export const integer: Column<number, never> = { kind: "integer", ...plain };
export const real: Column<number, never> = { kind: "real", ...plain };

/** A text that is one of a few; `fromRow` holds rows to it. */
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

/** The same column under every name. */
export function eachOf<Name extends string, C extends Column>(
  names: readonly Name[],
  column: C,
): { readonly [name in Name]: C } {
  return Object.fromEntries(names.map(name => [name, column])) as { readonly [name in Name]: C };
}
