import { verificationOperations } from "@tollgate/core/contract/verification";
import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { z } from "zod";
import { describeVerdict } from "../describe-verdict.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

export const getVerification = tool({
  name: "svc_get_verification",
  domain: "Verification",
  title: "State of a verification",
  description:
    "State, progress and, at the end, the verdict of a verification that svc_verify_switch started. May be asked as often as you like: asking charges nothing. Not for all verdicts: svc_get_verdicts.",
  input: z.strictObject({ request_id: uuid("UUID that svc_verify_switch returned as id") }),
  output: verificationOperations["verify.requests.get"].output,
  annotations: reads,
  run: (call, { request_id }) => call("verify.requests.get", { id: request_id }),
  render(request) {
    const { progress, verdict } = request;
    const models = `${quoted(request.prod_model)} to ${quoted(request.candidate_model)}`;
    const reason = request.end_reason === null ? "" : ` (${request.end_reason})`;
    const left = request.ended_at === null ? `, ${progress.days_left} days left` : "";
    const soFar = `${progress.pairs} of at most ${progress.max_pairs} pairs, ${exactDollars(progress.spent_microcents)} of ${exactDollars(progress.max_spend_microcents)} spent${left}`;
    return [
      `Verification ${request.id} of ${models} is ${request.status}${reason}: ${soFar}.`,
      verdict === null
        ? request.ended_at === null
          ? "There is no verdict yet."
          : "It ended without a verdict; nothing was charged."
        : describeVerdict(verdict),
    ].join("\n");
  },
});
