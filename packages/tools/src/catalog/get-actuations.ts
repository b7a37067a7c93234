import { actuationOperations, type actuationResource } from "@tollgate/core/contract/actuations";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getActuations = tool({
  name: "svc_get_actuations",
  domain: "Loop metrics",
  title: "Actuations",
  description:
    "Changes that the gateway obeys, newest first: model switches and other optimizations, budgets, paused agents, experiments. Each with its class, by what authority and by whom it was made, when it was asked for, applied and first obeyed by a call, whether and why it was rolled back, whether the breaker watches it, and whether it was acknowledged. The configuration itself is not shown. Needs the feature flag optimization_model_v3. Not for making or undoing a change.",
  input: z.strictObject({}),
  output: actuationOperations["loop_views.actuations"].output,
  annotations: reads,
  run: call => call("loop_views.actuations", {}),
  render({ total, actuations }) {
    if (actuations.length === 0) return "Nothing that the gateway obeys has been changed yet.";
    return [
      `${count(total.value ?? 0, "change")} in all; the newest ${actuations.length}:`,
      ...listLines(actuations, describe),
    ].join("\n");
  },
});

function describe(one: z.infer<typeof actuationResource>): string {
  const { timing, rollback, acknowledgement } = one;
  const of = one.agent_id === null ? "the organization" : `agent ${one.agent_id}`;
  const obeyed = timing.first_obeyed_at === null ? "" : `, first obeyed ${timing.first_obeyed_at}`;
  const rolledBack =
    rollback.state === "none"
      ? ""
      : `; rolled back ${rollback.at} (${rollback.reason}) by ${quoted(rollback.by ?? "")}`;
  const watched =
    one.breaker?.state === "watching" ? `; the breaker watches it until ${one.breaker.until}` : "";
  const acknowledged = acknowledgement.state === "pending" ? "; not acknowledged yet" : "";
  return `${timing.applied_at} ${one.change} ${one.action_type} of ${of} by ${quoted(one.actor)} (${one.authority})${obeyed}${rolledBack}${watched}${acknowledged}`;
}
