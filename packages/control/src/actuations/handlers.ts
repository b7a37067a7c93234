import type { actuationOperations } from "@tollgate/core/contract/actuations";
import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Handlers } from "../kernel/handler.ts";
import { requireFlag } from "../kernel/require-flag.ts";
import { toActuation } from "./to-actuation.ts";

export const actuationHandlers: Handlers<typeof actuationOperations> = {
  "loop_views.actuations": async (context, { limit }) => {
    await requireFlag(context, "optimization_model_v3", "not_found");
    const { db, scope, now } = context;
    const mine = db.selectFrom("actuations").where(inScope(scope));
    const [counted, rows] = await Promise.all([
      mine.select(({ fn }) => fn.countAll<number>().as("actuations")).executeTakeFirstOrThrow(),
      mine.selectAll().orderBy("applied_at", "desc").orderBy("id", "desc").limit(limit).execute(),
    ]);
    return {
      total: toEnvelope({ method: "count", value: Number(counted.actuations) }, now()),
      actuations: rows.map(toActuation),
    };
  },
};
