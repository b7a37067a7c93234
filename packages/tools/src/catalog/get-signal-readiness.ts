import { loopViewOperations } from "@tollgate/core/contract/loop-views";
import { z } from "zod";
import { count, percent } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const { output } = loopViewOperations["loop_views.readiness"];
type Power = z.output<typeof output>["agents"][number]["volume_versus_power"];

export const getSignalReadiness = tool({
  name: "svc_get_signal_readiness",
  domain: "Loop metrics",
  title: "Signal readiness",
  description:
    "What each agent's traffic allows a verification to find out: share of calls with a session and a config version, time until outcomes arrive, share of sessions with an outcome, days until a verdict at the present volume, which kinds of evidence are possible and why not, blocked proposals by reason. Every number is an envelope. Not for verdicts: svc_get_verdicts.",
  input: z.strictObject({}),
  output,
  annotations: reads,
  run: call => call("loop_views.readiness", {}),
  render({ agents, agent_count: all, policy }) {
    return [
      `${count(all.value ?? 0, "agent")}; days are at the policy ${policy.name}.`,
      ...listLines(agents, ({ event_coverage: coverage, ...one }) => {
        const eligible = one.estimators.filter(({ is_eligible }) => is_eligible);
        return `${quoted(one.agent_name)} (${one.agent_id}): ${share(coverage.with_session.value)} of calls with a session, ${share(one.join_rate.with_outcome.value)} of sessions with an outcome, ${pace(one.volume_versus_power)}; evidence possible: ${eligible.map(({ evidence_mode }) => evidence_mode).join(", ")}`;
      }),
    ].join("\n");
  },
});

function pace({ calls_per_day, days_to_verdict }: Power): string {
  if (calls_per_day.value === null) return "days to a verdict unknown before its first whole day";
  if (days_to_verdict.value === null) return "no volume for a verdict";
  return `${count(Math.ceil(days_to_verdict.value), "day")} to a verdict`;
}

function share(value: number | null): string {
  return value === null ? "an unknown share" : percent(value);
}
