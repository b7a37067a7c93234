import { proposalOperations } from "@tollgate/core/contract/proposals";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { savingInWords } from "../saving-in-words.ts";
import { reads, tool } from "../tool.ts";

export const getProposals = tool({
  name: "svc_get_proposals",
  domain: "Loop metrics",
  title: "Proposals",
  description:
    "Changes that suggestions, leak checks and verdicts propose: action type and class, D-class (D0 advice, D1 harmless, D2 answers may change, D3 stops work), status and what blocks it, estimated monthly savings, axes (lever, scope, risk, reversibility); newest first. The configuration itself is not shown. Not for applying a change: svc_apply_optimization.",
  input: z.strictObject({}),
  output: proposalOperations["loop_views.proposals"].output,
  annotations: reads,
  run: call => call("loop_views.proposals", {}),
  render({ total, proposals }) {
    if (proposals.length === 0)
      return "Nothing is proposed. Proposals are made once an hour and after each verdict.";
    return [
      `${count(total.value ?? 0, "proposal")} in all; the newest ${proposals.length}:`,
      ...listLines(proposals, one => {
        const impact = one.estimated_impact.monthly_microcents;
        const saves = impact.value === 0 ? "saves nothing by itself" : savingInWords(impact, "a month");
        const state = one.blocked_reason === null ? one.status : `${one.status} (${one.blocked_reason})`;
        return `${one.d_class} ${one.action_type} of ${one.agent_id === null ? "the organization" : `agent ${one.agent_id}`}: ${state}, ${saves} (${one.id})`;
      }),
    ].join("\n");
  },
});
