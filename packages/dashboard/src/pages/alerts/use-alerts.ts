import { getRouteApi } from "@tanstack/react-router";
import type { Output } from "../../data/use-operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";

export type Alert = Output<"alerts.list">["alerts"][number];

/** The most that one answer has. */
export const PAGE_SIZE = 200;

/** The live channel reports new alerts, but not that the condition of an open one has ended. */
const OPEN_WATCH_MS = 5000;

const route = getRouteApi("/alerts");

/** The alerts that the URL asks for, newest first. Open and unread ones are listed whenever they were raised. */
export function useAlerts(offset: number) {
  const { show = "open", type, severity } = route.useSearch();
  const { range } = useView();
  const isOfRange = show === "all" || show === "over";
  const query = useOperation(
    "alerts.list",
    {
      limit: PAGE_SIZE,
      offset,
      unread_only: show === "unread",
      ...(show === "open" ? { resolved: false } : show === "over" ? { resolved: true } : {}),
      ...(isOfRange ? { from: range.from, to: range.to } : {}),
      ...(type === undefined ? {} : { type }),
      ...(severity === undefined ? {} : { severity }),
    },
    {
      isUnfinished: ({ alerts }) => alerts.some(({ resolved_at }) => resolved_at === null),
      watchMs: OPEN_WATCH_MS,
    },
  );
  return { query, alerts: query.data?.alerts, search: { show, type, severity }, isOfRange };
}
