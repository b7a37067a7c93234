import type { loopViewOperations } from "@tollgate/core/contract/loop-views";
import type { Handlers } from "../../kernel/handler.ts";
import { loopViewsHeadline } from "../headline/get-headline.ts";
import { loopViewsReadiness } from "./get-readiness.ts";

export const loopViewHandlers: Handlers<typeof loopViewOperations> = {
  "loop_views.headline": loopViewsHeadline,
  "loop_views.readiness": loopViewsReadiness,
};
