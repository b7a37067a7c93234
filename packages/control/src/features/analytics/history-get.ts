import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fail } from "@tollgate/core/errors";
import { type HistoryWindow, historyWindow } from "@tollgate/core/limits/history-window";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import { byModelName } from "../../kernel/by-model-name.ts";
import type { Handler } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { findAgent } from "../agents/find-agent.ts";

type Part = OutputOf<Operations["analytics.history"]>["parts"][number];

const MAX_PARTS = 100;

export const historyGet: Handler<"analytics.history"> = async (context, input) => {
  const window = historyWindow(input, context.organization.tier, context.now());
  const stepMs = input.step_minutes * MINUTE_MS;
  if ((window.to - window.from) / stepMs > MAX_PARTS) {
    throw fail("invalid_request", `step_minutes: at most ${MAX_PARTS} parts; choose longer ones`);
  }
  const agent = input.agent_id === undefined ? undefined : await findAgent(context, input.agent_id);
  const parts: Part[] = [];
  // One after the other, so that other requests get their turn.
  for (const part of cut(window, stepMs)) {
    const { totals, byModel, latency } = await context.readModel.usage(context.scope, part, agent?.id);
    parts.push({
      period: toPeriod(part),
      ...toCostSums(totals),
      error_count: totals.errors,
      percentiles: latency,
      by_model: byModelName(byModel).map(line => ({ model: line.model, ...toCostSums(line) })),
    });
  }
  return { period: toPeriod(window), parts, history_begins_at: await historyBeginsAt(context) };
};

function cut({ from, to }: HistoryWindow, stepMs: number): HistoryWindow[] {
  const parts: HistoryWindow[] = [];
  for (let start = Math.floor(from / stepMs) * stepMs; start < to && from < to; start += stepMs) {
    parts.push({ from: Math.max(from, start), to: Math.min(to, start + stepMs) });
  }
  return parts;
}
