import type { refusedCalls as refusedCallsResource } from "@tollgate/core/contract/refusals";
import { errorCodes, toErrorCode } from "@tollgate/core/errors";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import type { z } from "zod";
import type { Context } from "./context.ts";

/** Calls that the gateway refused, of all agents or of one. */
export async function refusedCalls(
  { readModel, scope }: Context,
  window: HistoryWindow,
  agentKey?: string,
): Promise<z.input<typeof refusedCallsResource>> {
  const reasons = await readModel.refusalCounts(scope, window, "reason", errorCodes.length, agentKey);
  return {
    call_count: reasons.reduce((sum, { calls }) => sum + calls, 0),
    by_reason: reasons.map(({ name, calls }) => ({ reason: toErrorCode(name), call_count: calls })),
  };
}
