import { type ControlMigration, key, oneOf, required } from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, table, keyedTable }) => {
  // The calls of experiments, from which their results are computed.
  await keyedTable("experiment_calls")
    .addColumn("experiment_id", "text", required)
    .addColumn("seq", integer, required)
    .addColumn("arm", "text", oneOf("arm", ["control", "treatment"]))
    .addColumn("cost_microcents", integer)
    .addColumn("latency_ms", integer, required)
    .addColumn("is_error", integer, required)
    .addColumn("session_id", "text")
    .addPrimaryKeyConstraint("experiment_calls_pkey", ["experiment_id", "seq"])
    .execute();

  // Per session and arm, because the calls of one session are not independent.
  await keyedTable("experiment_sessions")
    .addColumn("experiment_id", "text", required)
    .addColumn("arm", "text", required)
    .addColumn("session_id", "text", required)
    .addColumn("calls", integer, required)
    .addColumn("errors", integer, required)
    .addColumn("priced_calls", integer, required)
    .addColumn("cost_microcents", integer, required)
    .addColumn("tested_calls", integer, required)
    .addColumn("slow_calls", integer, required)
    .addPrimaryKeyConstraint("experiment_sessions_pkey", ["experiment_id", "session_id", "arm"])
    .execute();

  // Calls by latency in milliseconds: exact percentiles of any number of calls, cheap to read.
  await keyedTable("experiment_latencies")
    .addColumn("experiment_id", "text", required)
    .addColumn("arm", "text", required)
    .addColumn("latency_ms", integer, required)
    .addColumn("calls", integer, required)
    .addPrimaryKeyConstraint("experiment_latencies_pkey", ["experiment_id", "arm", "latency_ms"])
    .execute();

  // Running sums, and the state of the sequential test.
  await table("experiment_tallies")
    .addColumn("experiment_id", "text", key)
    .addColumn("tally", "text", required)
    .execute();
};
