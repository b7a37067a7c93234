import type { Client } from "@tollgate/sdk/client";
import { eventually } from "../../test/support/waiting/eventually.ts";
import { sendCall } from "./send-call.ts";

/** A gateway that refuses a call because of a later budget knows the earlier ones too. */
export async function knowsBudgets(
  gateways: readonly { readonly url: string }[],
  key: string,
  client: Client,
): Promise<void> {
  const customer = crypto.randomUUID();
  const { id } = await client.call("budgets.create", {
    period: "monthly",
    limit_microcents: 1,
    enforcement_mode: "hard_block",
    strict: true,
    customer_id: customer,
  });
  for (const { url } of gateways) {
    await eventually("the gateway knows the budgets", async () => {
      const call = { id: `probe-${crypto.randomUUID()}`, key, headers: { "x-customer-id": customer } };
      return (await sendCall(url, call)).status === 429;
    });
  }
  await client.call("budgets.delete", { id });
}
