import { getRouteApi } from "@tanstack/react-router";
import type { Output } from "../../data/use-operation.ts";
import { useOperation } from "../../data/use-operation.ts";

export type Alert = Output<"alerts.list">["alerts"][number];

/** The most that one answer has. */
export const PAGE_SIZE = 200;

const route = getRouteApi("/alerts");

/** The alerts that the URL asks for, newest first. */
export function useAlerts(offset: number) {
  const { show = "open", type, severity } = route.useSearch();
  const query = useOperation("alerts.list", {
    limit: PAGE_SIZE,
    offset,
    unread_only: show === "unread",
    ...(type === undefined ? {} : { type }),
    ...(severity === undefined ? {} : { severity }),
  });
  const listed = query.data?.alerts;
  return {
    query,
    listed,
    alerts: show === "open" ? listed?.filter(({ resolved_at }) => resolved_at === null) : listed,
    search: { show, type, severity },
  };
}
