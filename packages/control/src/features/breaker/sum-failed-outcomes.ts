import { ArmSums } from "@tollgate/core/experiments/arm-sums";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import { type RawBuilder, sql } from "kysely";

/** `bySession` selects `samples` and `failed` for each session with outcomes. */
export async function sumFailedOutcomes(db: ControlDb, bySession: RawBuilder<unknown>): Promise<ArmSums> {
  const { rows } = await sql<Record<string, number>>`
    SELECT ${sumOf(sql`samples`)} AS samples, count(*) AS sessions, ${sumOf(sql`failed`)} AS sum,
      ${sumOf(sql`failed * failed`)} AS squares, ${sumOf(sql`failed * samples`)} AS products,
      ${sumOf(sql`samples * samples`)} AS sizes
    FROM (${bySession}) AS by_session`.execute(db);
  const [{ samples, sessions, sum, squares, products, sizes } = {}] = rows;
  return ArmSums.parse([samples, sessions, sum, squares, products, sizes].map(String));
}
