import { historyWindow } from "@tollgate/core/limits/history-window";
import type { Handler } from "../../kernel/handler.ts";
import { requireFlag } from "../../kernel/require-flag.ts";
import { readHeadline } from "./read-headline.ts";

export const loopViewsHeadline: Handler<"loop_views.headline"> = async (context, { days }) => {
  await requireFlag(context, "optimization_model_v3");
  return await readHeadline(context, historyWindow({ days }, context.organization.tier, context.now()));
};
