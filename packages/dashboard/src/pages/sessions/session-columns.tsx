import type { Output } from "../../data/use-operation.ts";
import { duration } from "../../format/time.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { TokenCount } from "../../parts/token-count.tsx";
import { callsColumn, costColumn, failedColumn } from "../../parts/usage-columns.tsx";

export type Session = Output<"sessions.list">["sessions"][number];

/** null: one call has no last one. */
export const lengthMs = ({ call_count, first_call_at, last_call_at }: Session) =>
  call_count === 1 ? null : Date.parse(last_call_at) - Date.parse(first_call_at);

export const sessionColumns: readonly Column<Session>[] = [
  {
    id: "session",
    title: "Session",
    width: "minmax(180px, 2fr)",
    onPhone: "title",
    value: ({ id }) => id,
    cell: ({ id }) => <Name name={id} maxLength={60} />,
  },
  {
    id: "last",
    title: "Last call",
    width: "minmax(110px, 0.8fr)",
    value: ({ last_call_at }) => last_call_at,
    cell: ({ last_call_at }) => <Moment at={last_call_at} />,
  },
  {
    id: "length",
    title: "First to last call",
    isNumber: true,
    width: "minmax(120px, 0.7fr)",
    value: lengthMs,
    cell: session => duration(lengthMs(session)),
  },
  callsColumn("minmax(70px, 0.5fr)"),
  failedColumn("minmax(70px, 0.5fr)"),
  {
    id: "input",
    title: "Input",
    isNumber: true,
    width: "minmax(80px, 0.6fr)",
    value: ({ input_tokens }) => input_tokens,
    cell: ({ input_tokens }) => <TokenCount tokens={input_tokens} />,
  },
  {
    id: "output",
    title: "Output",
    isNumber: true,
    width: "minmax(80px, 0.6fr)",
    value: ({ output_tokens }) => output_tokens,
    cell: ({ output_tokens }) => <TokenCount tokens={output_tokens} />,
  },
  costColumn("cost", "Cost"),
];
