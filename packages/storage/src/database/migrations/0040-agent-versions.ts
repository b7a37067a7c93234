import { sql } from "kysely";
import { type ControlMigration, required } from "../control-migration.ts";

const totals = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced_calls",
] as const;

/** Sums of each agent's config versions. Before the history begins they stay unknown: those facts are gone. */
export const up: ControlMigration = async ({ db, integer, keyedTable, counts }) => {
  await keyedTable("agent_version_days")
    .addColumn("scope", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("day", integer, required)
    .addColumn("config_version", integer, required)
    .$call(counts(totals))
    .addPrimaryKeyConstraint("agent_version_days_pkey", ["scope", "agent", "day", "config_version"])
    .execute();
  await sql`
    INSERT INTO agent_version_days (scope, agent, day, config_version, ${sql.join(totals.map(name => sql.ref(name)))})
    SELECT scope, agent, created_at - created_at % 86400000, coalesce(config_version, 0), count(*),
      sum(CASE WHEN status IN (1, 2, 4) THEN 1 ELSE 0 END), sum(input_tokens), sum(output_tokens),
      sum(cost_microcents), sum(unpriced)
    FROM facts GROUP BY 1, 2, 3, 4`.execute(db);
};
