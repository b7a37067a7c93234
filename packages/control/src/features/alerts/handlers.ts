import type { alertOperations } from "@tollgate/core/contract/alerts";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { alertsList } from "./list.ts";
import { alertsTest } from "./send-test.ts";

export const alertHandlers: Handlers<typeof alertOperations> = {
  "alerts.acknowledge": async (context, input) => {
    const { db, scope } = context;
    const ids = [...new Set(input.alert_ids)];
    return await db.transaction().execute(async transaction => {
      const known = await transaction
        .selectFrom("alerts")
        .select("id")
        .where(inScope(scope))
        .where("id", "in", ids)
        .execute();
      if (known.length < ids.length) throw notFound("alert");
      await transaction
        .updateTable("alerts")
        .set({ read_at: context.now() })
        .where(inScope(scope))
        .where("id", "in", ids)
        // Acknowledging again keeps the first time.
        .where("read_at", "is", null)
        .execute();
      return { acknowledged: ids.length };
    });
  },

  "alerts.list": alertsList,
  "alerts.test": alertsTest,
};
