import { verificationOperations } from "@tollgate/core/contract/verification";
import { z } from "zod";
import { count } from "../format-amounts.ts";
import { reads, tool } from "../tool.ts";

export const getBalance = tool({
  name: "svc_get_balance",
  domain: "Verification",
  title: "Verification balance",
  description:
    "How many verifications the organization has left; asking is free. A verification that ends with a verdict uses one, any other none. Not for what calls cost: svc_get_cost_summary. Not for buying: svc_buy_verification.",
  input: z.strictObject({}),
  output: verificationOperations["verify.balance.get"].output,
  annotations: reads,
  run: call => call("verify.balance.get"),
  render: ({ balance, reserved, available }) =>
    `${count(balance, "verification")} left, ${reserved} of them reserved by verifications under way: ${available} can be started.${available === 0 ? " svc_buy_verification returns a checkout URL." : ""}`,
});
