import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import { verificationOperations } from "@tollgate/core/contract/verification";
import { exactDollars } from "@tollgate/core/money/exact-dollars";
import { z } from "zod";
import { describeVerdict } from "../describe-verdict.ts";
import { uuid } from "../parameters.ts";
import { quoted } from "../quoted.ts";
import { reads, tool } from "../tool.ts";

const { output } = verificationOperations["verify.requests.get"];

/** Where pairs come from, while there is none yet. */
function hintOf({ status, evidence_mode, prod_model }: z.output<typeof output>): string {
  if (status !== "collecting" || evidence_mode !== "shadow") return "";
  return ` Pairs are made from calls to ${quoted(prod_model)} through the gateway; where candidate or judge are another provider's, only from calls that bring its key, too (X-Provider-Key-Anthropic and so on). Pairs of a session count half an hour after its first one.`;
}

export const getVerification = tool({
  name: "svc_get_verification",
  domain: "Verification",
  title: "State of a verification",
  description:
    "State, progress and, at the end, the verdict of a verification that svc_verify_switch started. May be asked as often as you like: asking charges nothing. Not for all verdicts: svc_get_verdicts.",
  input: z.strictObject({ request_id: uuid("UUID that svc_verify_switch returned as id") }),
  output,
  annotations: reads,
  run: (call, { request_id }) => call("verify.requests.get", { id: request_id }),
  render(request) {
    const { progress, verdict } = request;
    const models = `${quoted(request.prod_model)} to ${quoted(request.candidate_model)}`;
    const reason = request.end_reason === null ? "" : ` (${request.end_reason})`;
    const left = request.ended_at === null ? `, ${progress.days_left} days left` : "";
    const unpriced = progress.unpriced_calls === null ? "" : plusUnpriced(progress.unpriced_calls);
    const soFar = `${progress.pairs} of at most ${progress.max_pairs} pairs, ${exactDollars(progress.spent_microcents)}${unpriced} of ${exactDollars(progress.max_spend_microcents)} spent${left}`;
    return [
      `Verification ${request.id} of ${models} is ${request.status}${reason}: ${soFar}.`,
      verdict === null
        ? request.ended_at === null
          ? `There is no verdict yet.${progress.pairs === 0 ? hintOf(request) : ""}`
          : "It ended without a verdict; nothing was charged."
        : describeVerdict(verdict),
    ].join("\n");
  },
});
