import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { alertSeverities, alertTypes } from "@tollgate/core/alerts/alert-types";
import { useState } from "react";
import { useLiveMessages } from "../../data/live.tsx";
import { useRole } from "../../data/session.tsx";
import { useChange } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { type AlertSearch, type AlertState, alertStates } from "./alert-search.ts";
import { channelTitles, notificationKinds, severityKinds, typeTitles } from "./alert-words.ts";
import { type Alert, PAGE_SIZE, useAlerts } from "./use-alerts.ts";

const stateTitles: Readonly<Record<AlertState, string>> = {
  open: "Open",
  unread: "Not acknowledged",
  over: "Ended",
  all: "All",
};

const emptyTitles: Readonly<Record<AlertState, string>> = {
  open: "No open alerts",
  unread: "Every alert is acknowledged",
  over: "No alert in this time range has ended",
  all: "No alerts in this time range",
};

const columns: readonly Column<Alert>[] = [
  {
    id: "severity",
    title: "Severity",
    width: "84px",
    onPhone: "amount",
    value: ({ severity }) => severity,
    cell: ({ severity }) => <Tag kind={severityKinds[severity]}>{severity}</Tag>,
  },
  {
    id: "message",
    title: "Alert",
    width: "minmax(240px, 3fr)",
    onPhone: "title",
    value: ({ message }) => message,
    cell: ({ message, is_read }) => <span className={is_read ? "muted" : "alert-unread"}>{message}</span>,
  },
  {
    id: "type",
    title: "Type",
    width: "minmax(110px, 0.8fr)",
    value: ({ type }) => typeTitles[type],
    cell: ({ type }) => typeTitles[type],
  },
  {
    id: "time",
    title: "Raised",
    width: "minmax(104px, 0.7fr)",
    value: ({ triggered_at }) => triggered_at,
    cell: ({ triggered_at }) => <Moment at={triggered_at} />,
  },
  {
    id: "resolved",
    title: "Ended",
    width: "minmax(104px, 0.7fr)",
    value: ({ resolved_at }) => resolved_at,
    cell: ({ resolved_at }) =>
      resolved_at === null ? <Tag kind="warning">still open</Tag> : <Moment at={resolved_at} />,
  },
  {
    id: "notifications",
    title: "Notified",
    width: "minmax(110px, 1fr)",
    value: ({ notifications }) =>
      notifications.map(({ channel, status }) => `${channel} ${status}`).join(", "),
    cell: ({ notifications }) =>
      notifications.length === 0 ? (
        <span className="muted">nobody</span>
      ) : (
        <span className="alert-tags">
          {notifications.map(({ channel, status }) => (
            <Tag key={channel} kind={notificationKinds[status]} title={status}>
              {channelTitles[channel]}
              {status !== "delivered" && ` ${status}`}
            </Tag>
          ))}
        </span>
      ),
  },
];

export function AlertList() {
  const navigate = useNavigate();
  const { can } = useRole();
  const { range } = useView();
  const [offset, setOffset] = useState(0);
  const openKey = useParams({ strict: false, select: ({ alertId }) => alertId });
  const { query, alerts, search, isOfRange } = useAlerts(offset);
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());
  useLiveMessages("alerts", ({ id }) => setArrived(known => new Set([...known, id].slice(-PAGE_SIZE))));
  const acknowledge = useChange("alerts.acknowledge", {
    refreshes: ["alerts.list"],
    done: ({ acknowledged }) => `${plural(acknowledged, "alert")} acknowledged`,
  });
  const unread = alerts?.filter(({ is_read }) => !is_read) ?? [];
  const change = (next: AlertSearch) => {
    setOffset(0);
    void navigate({ to: "/alerts", search: before => ({ ...before, show: search.show, ...next }) });
  };
  return (
    <>
      <div className="toolbar">
        <div className="card-actions">
          <ChoiceField
            isLabelHidden
            label="Show"
            value={search.show}
            options={alertStates.map(value => ({ value, label: stateTitles[value] }))}
            onChange={show => change({ show })}
          />
          <ChoiceField
            isLabelHidden
            label="Type"
            value={search.type ?? ""}
            options={[
              { value: "", label: "All types" },
              ...alertTypes.map(value => ({ value, label: typeTitles[value] })),
            ]}
            onChange={type => change({ type: type === "" ? undefined : type })}
          />
          <ChoiceField
            isLabelHidden
            label="Severity"
            value={search.severity ?? ""}
            options={[
              { value: "", label: "All severities" },
              ...alertSeverities.map(value => ({ value, label: value })),
            ]}
            onChange={severity => change({ severity: severity === "" ? undefined : severity })}
          />
          <p className="muted" role="status">
            {isOfRange
              ? `Raised in this time range (${range.title.toLowerCase()})`
              : search.show === "open"
                ? "Open alerts of any age"
                : "Alerts of any age"}
          </p>
        </div>
        <div className="card-actions">
          {can("alerts.acknowledge") && unread.length > 0 && (
            <Button
              icon="check"
              isBusy={acknowledge.isPending}
              onClick={() =>
                acknowledge.mutate({ action: "acknowledge", alert_ids: unread.map(({ id }) => id) })
              }
            >
              {unread.length === 1 ? "Acknowledge it" : `Acknowledge all ${unread.length}`}
            </Button>
          )}
        </div>
      </div>
      <ListTable
        query={query}
        className="alerts-table"
        label="Alerts"
        columns={columns}
        rows={alerts}
        rowKey={({ id }) => id}
        openKey={openKey}
        isNew={({ id }) => arrived.has(id)}
        onOpen={({ id }) => void navigate({ to: "/alerts/$alertId", params: { alertId: id }, search: true })}
        empty={
          <Empty title={emptyTitles[search.show]}>
            An alert is raised within a second of the call that crosses a threshold.
          </Empty>
        }
        foot={
          (offset > 0 || alerts?.length === PAGE_SIZE) && (
            <div className="alerts-pages">
              <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE_SIZE))}>
                Newer
              </Button>
              <Button
                disabled={alerts === undefined || alerts.length < PAGE_SIZE}
                onClick={() => setOffset(offset + PAGE_SIZE)}
              >
                Older
              </Button>
            </div>
          )
        }
      />
      <Outlet />
    </>
  );
}
