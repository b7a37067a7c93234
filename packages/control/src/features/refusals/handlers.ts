import type { refusalOperations } from "@tollgate/core/contract/refusals";
import { historyWindow } from "@tollgate/core/limits/history-window";
import { DAY_MS } from "@tollgate/core/time/durations";
import { dateLabel } from "@tollgate/core/time/group-days";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import type { Handlers } from "../../kernel/handler.ts";
import { listWindow } from "../../kernel/list-window.ts";
import { nextCursorOf, positionOfCursor } from "../../kernel/next-cursor.ts";
import { refusedCalls } from "../../kernel/refused-calls.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { agentKeyOf } from "../agents/agent-key-of.ts";
import { toRefusal } from "./to-refusal.ts";

const MAX_GROUPS = 100;

export const refusalHandlers: Handlers<typeof refusalOperations> = {
  "refusals.counts": async (context, input) => {
    const { readModel, scope } = context;
    const window = historyWindow(input, context.organization.tier, context.now());
    const agentKey = await agentKeyOf(context, input);
    const by = (group: "agent" | "key" | "day", atMost: number) =>
      readModel.refusalCounts(scope, window, group, atMost, agentKey);
    const days = new Map(
      (await by("day", Number.MAX_SAFE_INTEGER)).map(day => [Number(day.name), day.calls]),
    );
    return {
      period: toPeriod(window),
      ...(await refusedCalls(context, window, agentKey)),
      by_agent: (await by("agent", MAX_GROUPS)).map(({ name, calls }) => ({
        agent_key: orNull(name),
        call_count: calls,
      })),
      by_key: (await by("key", MAX_GROUPS)).map(({ name, calls }) => ({
        key_id: orNull(name),
        call_count: calls,
      })),
      trend: daysOf(window).map(day => ({ date: dateLabel(day), call_count: days.get(day) ?? 0 })),
    };
  },

  "refusals.list": async (context, input) => {
    const { key_id: keyId, budget_id: budgetId, reason, limit } = input;
    const agentKey = await agentKeyOf(context, input);
    const page = await context.readModel.refusals(
      context.scope,
      {
        ...listWindow(context, input),
        ...(agentKey === undefined ? {} : { agentKey }),
        ...(keyId === undefined ? {} : { keyId }),
        ...(reason === undefined ? {} : { reason }),
        ...(budgetId === undefined ? {} : { budgetId }),
      },
      limit,
      positionOfCursor(context, "refusals", input.cursor),
    );
    const agentIds = await context.readModel.agentIds(
      context.scope,
      page.rows.flatMap(({ agent_key }) => agent_key ?? []),
    );
    return {
      refusals: page.rows.map(row => toRefusal(row, agentIds)),
      next_cursor: nextCursorOf(context, "refusals", page.next),
    };
  },
};

function daysOf({ from, to }: { readonly from: number; readonly to: number }): number[] {
  const days: number[] = [];
  for (let day = startOfDay(from); day < to; day += DAY_MS) days.push(day);
  return days;
}

function orNull(name: string): string | null {
  return name === "" ? null : name;
}
