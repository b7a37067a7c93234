import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** A cluster that distributes tables by organization needs it in their keys. Retention may already have made partitions. */
export const up: ControlMigration = async ({ db, engine }) => {
  if (engine !== "postgres") return;
  const { rows } = await sql<{ partition: string; key: string }>`
    SELECT c.relname AS partition, k.conname AS key
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
    WHERE i.inhparent = to_regclass('facts')`.execute(db);
  for (const { partition, key } of rows) {
    await sql`ALTER TABLE ${sql.table(partition)} DROP CONSTRAINT ${sql.ref(key)}, ADD PRIMARY KEY (seq, scope)`.execute(
      db,
    );
  }
};
