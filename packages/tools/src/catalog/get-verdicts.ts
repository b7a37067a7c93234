import { verificationOperations } from "@tollgate/core/contract/verification";
import { z } from "zod";
import { describeVerdict } from "../describe-verdict.ts";
import { count } from "../format-amounts.ts";
import { listLines } from "../list-lines.ts";
import { reads, tool } from "../tool.ts";

export const getVerdicts = tool({
  name: "svc_get_verdicts",
  domain: "Loop metrics",
  title: "Verdicts on model switches",
  description:
    "Verdicts by agent, production model, candidate model and task category: whether quality holds, by what evidence and how many pairs, the savings with their interval, the judge, the expiry; newest first, summaries only. Not for one that is under way: svc_get_verification.",
  input: z.strictObject({}),
  output: verificationOperations["loop_views.verdicts"].output,
  annotations: reads,
  run: call => call("loop_views.verdicts"),
  render({ verdicts }) {
    if (verdicts.length === 0) return "No verdicts yet. svc_verify_switch starts a verification.";
    return [
      `${count(verdicts.length, "verdict")}, newest first.`,
      ...listLines(verdicts, verdict => `${verdict.id}: ${describeVerdict(verdict)}`),
    ].join("\n");
  },
});
