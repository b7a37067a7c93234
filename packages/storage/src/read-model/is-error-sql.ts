import { type RawBuilder, sql } from "kysely";
import { errorCodes } from "../ledger/status-codes.ts";

const codes = sql.join(errorCodes.map(code => sql.lit(code)));

/** Whether a fact counts as an error: `isError` of `status-codes.ts`, in SQL. */
export function isErrorSql(column = "status"): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} IN (${codes})`;
}
