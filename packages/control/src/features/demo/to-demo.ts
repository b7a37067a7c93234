import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { DEMO_NAME, type DemoRow } from "./demo-row.ts";

type Demo = OutputOf<Operations["demo.get"]>;

const none: Demo = {
  status: "none",
  organization: null,
  progress: null,
  error: null,
  created_by: null,
  created_at: null,
  finished_at: null,
};

export function toDemo(row: DemoRow | null): Demo {
  if (row === null || row.status === "removed") return none;
  return {
    status: row.status,
    organization: { id: row.org_id, name: DEMO_NAME },
    progress: { step: row.step, done_calls: row.done_calls, total_calls: row.total_calls },
    error: row.error,
    created_by: row.created_by,
    created_at: toIsoTime(row.created_at),
    finished_at: row.finished_at === null ? null : toIsoTime(row.finished_at),
  };
}
