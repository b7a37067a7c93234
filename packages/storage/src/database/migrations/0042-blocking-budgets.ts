import { sql } from "kysely";
import { type ControlMigration, required } from "../control-migration.ts";

/**
 * Since when a budget has refused calls, by PostgreSQL's clock. By a trigger, so that no writer can forget it. Only several gateways
 * need it: on SQLite the table stays empty.
 */
export const up: ControlMigration = async ({ db, engine, integer, keyedTable }) => {
  await keyedTable("blocking_budgets")
    .addColumn("org_id", "text", required)
    .addColumn("budget_id", "text", required)
    .addColumn("blocking_since", integer, required)
    .addPrimaryKeyConstraint("blocking_budgets_pkey", ["org_id", "budget_id"])
    .execute();
  if (engine !== "postgres") return;
  await sql
    .raw(
      `create function budget_becomes_blocking() returns trigger language plpgsql as $$
       declare
         is_blocking boolean := tg_op <> 'DELETE' and new.enforcement_mode = 'hard_block' and new.status <> 'paused';
         was_blocking boolean := tg_op = 'UPDATE' and old.enforcement_mode = 'hard_block' and old.status <> 'paused'
           and old.since = new.since;
       begin
         if is_blocking and not was_blocking then
           insert into blocking_budgets (org_id, budget_id, blocking_since)
             values (new.org_id, new.id, cast(extract(epoch from clock_timestamp()) * 1000 as bigint))
             on conflict (org_id, budget_id) do update set blocking_since = excluded.blocking_since;
         elsif not is_blocking and tg_op <> 'INSERT' then
           delete from blocking_budgets where org_id = old.org_id and budget_id = old.id;
         end if;
         return null;
       end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger budget_becomes_blocking after insert or update or delete on budgets
         for each row execute function budget_becomes_blocking()`,
    )
    .execute(db);
};
