import { verificationOperations } from "@tollgate/core/contract/verification";
import { TollgateError } from "@tollgate/core/errors";
import { ClientError } from "@tollgate/sdk/client-error";
import { z } from "zod";
import { modelName, uuid } from "../parameters.ts";
import { adds, tool } from "../tool.ts";

const handle = verificationOperations["verify.requests.create"].output.shape;

const output = z.strictObject({
  status: z
    .enum(["queued", "collecting", "payment_required"])
    .meta({ description: "payment_required: nothing was started, and nothing is charged" }),
  id: handle.id.nullable().meta({ description: "request_id of svc_get_verification" }),
  trial_id: handle.trial_id.nullable(),
  poll: handle.poll.nullable(),
  balance: z.int().nullable().meta({ description: "Only with payment_required" }),
  message: z.string(),
  next_step: z.string(),
});

export const verifySwitch = tool({
  name: "svc_verify_switch",
  domain: "Verification",
  title: "Verify a model switch",
  description:
    "Starts a verification: does quality hold if calls to prod_model go to candidate_model instead? It samples production calls, has the candidate answer them too, and compares; callers notice nothing. Returns a handle at once; the verdict comes later: poll svc_get_verification. Shadow calls cost money at the providers, within the policy's limit: ask the user first. A verdict uses one verification of the balance; no verdict, no charge. Not for switching: svc_apply_optimization. Not for splitting real traffic: svc_create_model_experiment.",
  input: z.strictObject({
    prod_model: modelName("The model that answers the calls now"),
    candidate_model: modelName("The model that may replace it"),
    agent_id: uuid("UUID of an agent; every agent that calls prod_model unless given").optional(),
    policy_id: uuid("UUID of a verification policy; the default policy unless given").optional(),
  }),
  output,
  annotations: adds,
  async run(call, { prod_model, candidate_model, agent_id, policy_id }): Promise<z.input<typeof output>> {
    try {
      const { id, status, trial_id, poll } = await call("verify.requests.create", {
        prod_model,
        candidate_model,
        ...(agent_id === undefined ? {} : { agent_id }),
        ...(policy_id === undefined ? {} : { policy_id }),
      });
      return {
        status,
        id,
        trial_id,
        poll,
        balance: null,
        message:
          status === "queued"
            ? "The verification starts when another one has ended."
            : "The verification collects pairs; the plan of its trial is registered.",
        next_step: `Ask svc_get_verification with request_id ${id} for its state and, at the end, the verdict.`,
      };
    } catch (fault) {
      const guidance = purchaseGuidance(fault);
      if (guidance === null) throw fault;
      return guidance;
    }
  },
  render: ({ status, id, message, next_step }) =>
    `${id === null ? "Nothing was started" : `Verification ${id} is ${status}`}. ${message} ${next_step}`,
});

/** An empty balance is no fault of the call: the answer says what to do. null: it was refused for another reason. */
function purchaseGuidance(fault: unknown): z.input<typeof output> | null {
  const fields =
    fault instanceof TollgateError ? fault.fields : fault instanceof ClientError ? fault.body : null;
  if (!(fault instanceof Error) || fields?.status !== "payment_required") return null;
  return {
    status: "payment_required",
    id: null,
    trial_id: null,
    poll: null,
    balance: typeof fields.balance === "number" ? fields.balance : null,
    message: `${fault.message}.`,
    next_step: "svc_buy_verification returns a checkout URL for the user; it charges nothing itself.",
  };
}
