import { type RawBuilder, sql } from "kysely";
import type { Scope } from "./scope.ts";

/** The rows of one scope, in a table that has both columns. */
export function inScope({ orgId, mode }: Scope): RawBuilder<boolean> {
  return sql`org_id = ${orgId} and mode = ${mode}`;
}
