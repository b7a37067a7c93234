import { queueOperations } from "@tollgate/core/contract/queue";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { reads, tool } from "../tool.ts";

export const getDecisionQueue = tool({
  name: "svc_get_decision_queue",
  domain: "Loop metrics",
  title: "Decision queue",
  description:
    "What waits for a person's decision, oldest first: verdicts without a decision, blocked proposals that a person can unblock, breaker events that nobody has acknowledged, evidence that expires within seven days. Each with its reason and the next step. Needs the feature flag optimization_model_v3. Not for deciding: only signed-in members can.",
  input: z.strictObject({}),
  output: queueOperations["loop_views.queue"].output,
  annotations: reads,
  run: call => call("loop_views.queue", {}),
  render({ total, items }) {
    if (items.length === 0) return "Nothing waits for a decision.";
    return [
      `${count(total.value ?? 0, "item")} for a person to decide:`,
      ...listLines(
        items,
        one =>
          `${one.kind} of ${one.agent_id === null ? "the organization" : `agent ${one.agent_id}`} since ${one.since}: ${one.reason}. ${one.next_step} (${one.id})`,
      ),
    ].join("\n");
  },
});
