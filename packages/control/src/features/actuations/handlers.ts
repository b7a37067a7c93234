import type { actuationOperations } from "@tollgate/core/contract/actuations";
import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import type { Handlers } from "../../kernel/handler.ts";
import { requireFlag } from "../../kernel/require-flag.ts";
import { toActuation } from "./to-actuation.ts";

export const actuationHandlers: Handlers<typeof actuationOperations> = {
  "loop_views.actuations": async (context, { limit }) => {
    await requireFlag(context, "optimization_model_v3", "not_found");
    const { db, scope, now } = context;
    const mine = db
      .selectFrom("actuations")
      .where("actuations.org_id", "=", scope.orgId)
      .where("actuations.mode", "=", scope.mode);
    const [counted, rows] = await Promise.all([
      mine.select(({ fn }) => fn.countAll<number>().as("actuations")).executeTakeFirstOrThrow(),
      mine
        .leftJoin("optimizations", "optimizations.id", "actuations.subject_id")
        .leftJoin("agent_settings", "agent_settings.agent_id", "actuations.agent_id")
        .selectAll("actuations")
        .select(["optimizations.undone_at", "agent_settings.breaker_off"])
        .orderBy("actuations.applied_at", "desc")
        .orderBy("actuations.id", "desc")
        .limit(limit)
        .execute(),
    ]);
    return {
      total: toEnvelope({ method: "count", value: Number(counted.actuations) }, now()),
      actuations: rows.map(row => toActuation(row, now())),
    };
  },
};
