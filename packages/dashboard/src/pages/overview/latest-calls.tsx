import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { LiveEvent } from "../../data/live.tsx";
import { useLiveEvents } from "../../data/use-live-events.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty } from "../../parts/states.tsx";
import { callColumns } from "../calls/call-columns.tsx";

const SHOWN = 12;

/** Narrower than in the list of all calls: two cards stand side by side from 1280 pixels on. */
const widths = new Map([
  ["time", "76px"],
  ["agent", "minmax(96px, 1fr)"],
  ["model", "minmax(110px, 1.1fr)"],
  ["status", "88px"],
  ["cost", "124px"],
]);
const columns = callColumns.flatMap(column => {
  const width = widths.get(column.id);
  if (width === undefined) return [];
  if (column.id !== "time") return { ...column, width };
  // They are of the last minutes.
  return { ...column, width, cell: ({ created_at }: LiveEvent) => <Moment at={created_at} as="second" /> };
});

/** The newest calls, whatever the range; new ones appear as they end. */
export function LatestCalls() {
  const navigate = useNavigate();
  const listed = useOperation("events.list", { limit: SHOWN });
  const live = useLiveEvents({ limit: SHOWN, withRecent: true });
  const arrived = useMemo(() => new Set(live.events.map(({ id }) => id)), [live.events]);
  const rows = useMemo(() => {
    if (listed.data === undefined && live.events.length === 0) return undefined;
    const known: readonly LiveEvent[] = listed.data?.events ?? [];
    return [...live.events, ...known.filter(({ id }) => !arrived.has(id))].slice(0, SHOWN);
  }, [listed.data, live.events, arrived]);
  return (
    <Card title="Latest calls" actions={<Link to="/calls">All calls</Link>}>
      <DataTable
        label="Latest calls"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        isNew={({ id }) => live.fresh.has(id)}
        onOpen={({ id }) => void navigate({ to: "/calls/$callId", params: { callId: id } })}
        empty={
          <Empty title="No calls yet">Send one through the gateway: it appears here when it ends.</Empty>
        }
      />
    </Card>
  );
}
