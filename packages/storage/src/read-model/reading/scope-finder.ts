import type { ControlDb } from "../../database/schema.ts";
import { inScope } from "../../ledger/in-scope.ts";
import { type Scope, scopeName } from "../../ledger/scope.ts";

/** null: this scope has no data. */
export type FindScope = (db: ControlDb, scope: Scope) => Promise<number | null>;

/** A scope keeps its id permanently, so a found one is cached; a missing one may still appear. */
export function scopeFinder(): FindScope {
  const known = new Map<string, number>();
  return async (db, scope) => {
    const name = scopeName(scope);
    const seen = known.get(name);
    if (seen !== undefined) return seen;
    const row = await db.selectFrom("scopes").select("id").where(inScope(scope)).executeTakeFirst();
    if (row === undefined) return null;
    known.set(name, row.id);
    return row.id;
  };
}
