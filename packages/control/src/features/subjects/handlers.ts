import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { subjectOperations } from "@tollgate/core/contract/subjects";
import { historyStart, historyWindow, visibleWindow } from "@tollgate/core/limits/history-window";
import { groupDays } from "@tollgate/core/time/group-days";
import type { SubjectTotals } from "@tollgate/storage/read-model/queries/subject-queries";
import type { Handlers } from "../../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../../kernel/next-cursor.ts";
import { notFound } from "../../kernel/not-found.ts";
import { toCostSums } from "../../kernel/to-cost-sums.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { findAgent } from "../agents/find-agent.ts";

export const subjectHandlers: Handlers<typeof subjectOperations> = {
  "sessions.get": async (context, { id }) => {
    const visibleFrom = historyStart(context.organization.tier, context.now());
    const session = await context.readModel.session(context.scope, id, visibleFrom);
    if (session === null) throw notFound("session");
    return { id: session.key, ...toSubject(session) };
  },

  "sessions.list": async (context, input) => {
    const window = visibleWindow(input, context.organization.tier, context.now());
    const after = positionOfCursor(context, "sessions", input.cursor);
    const { customer_id: customerId, agent_id: agentId } = input;
    const { readModel, scope } = context;
    if (agentId !== undefined) await findAgent(context, agentId);
    const page =
      customerId === undefined && agentId === undefined
        ? await readModel.sessions(scope, window, input.limit, after)
        : await readModel.sessionsOf(
            scope,
            {
              ...(customerId === undefined ? {} : { customerId }),
              ...(agentId === undefined ? {} : { agentId }),
            },
            window,
            input.limit,
            after,
          );
    return {
      sessions: page.rows.map(row => ({ id: row.key, ...toSubject(row) })),
      next_cursor: nextCursorOf(context, "sessions", page.next),
    };
  },

  "customers.get": async (context, input) => {
    const { tier } = context.organization;
    const window = historyWindow(input, tier, context.now());
    const visibleFrom = historyStart(tier, context.now());
    const customer = await context.readModel.customer(context.scope, input.id, visibleFrom);
    if (customer === null) throw notFound("customer");
    const days = await context.readModel.customerDays(context.scope, customer.key, window);
    return {
      id: customer.key,
      ...toSubject(customer),
      period: toPeriod(window),
      by_day: groupDays(days, "day"),
    };
  },

  "customers.list": async (context, input) => {
    const window = visibleWindow(input, context.organization.tier, context.now());
    const after = positionOfCursor(context, "customers", input.cursor);
    const page = await context.readModel.customers(context.scope, window, input.limit, after);
    return {
      customers: page.rows.map(row => ({ id: row.key, ...toSubject(row) })),
      next_cursor: nextCursorOf(context, "customers", page.next),
    };
  },

  "config_versions.list": async (context, input) => {
    const window = visibleWindow(input, context.organization.tier, context.now());
    const after = positionOfCursor(context, "config_versions", input.cursor);
    const page = await context.readModel.configVersions(context.scope, window, input.limit, after);
    return {
      config_versions: page.rows.map(row => ({ config_version: row.key, ...toSubject(row) })),
      next_cursor: nextCursorOf(context, "config_versions", page.next),
    };
  },
};

/** The totals of a session, customer or config version. */
function toSubject(totals: SubjectTotals) {
  return {
    ...toCostSums(totals),
    error_count: totals.errors,
    input_tokens: totals.input_tokens,
    output_tokens: totals.output_tokens,
    first_call_at: toIsoTime(totals.first_at),
    last_call_at: toIsoTime(totals.last_at),
  };
}
