import { checkoutOperations } from "@tollgate/core/contract/checkout";
import { z } from "zod";
import { adds, tool } from "../tool.ts";

const { body, output } = checkoutOperations["verify.checkouts.create"];

export const buyVerification = tool({
  name: "svc_buy_verification",
  domain: "Verification",
  title: "Buy verifications",
  description:
    "Opens a checkout for verifications and returns the URL of its page, for a person to open. It charges nothing and does not change the balance until the purchase is paid. Without a key (if the operator allows it) the answer has a claim code, which is shown only once: give it to the user. Not for the balance: svc_get_balance.",
  input: z.strictObject({ callback_url: body.shape.callback_url }),
  output,
  annotations: { ...adds, openWorldHint: true },
  run: (call, { callback_url }) =>
    call("verify.checkouts.create", callback_url === undefined ? {} : { callback_url }),
  render: ({ checkout_url, redirect_url, provider, mode, unit_price_cents, expires_at, claim }) =>
    [
      `Ask the user to open ${checkout_url} (until ${expires_at}). Nothing was charged, and the balance is unchanged.`,
      unit_price_cents === null
        ? "The page says whom to ask for verifications; the operator of this installation grants them."
        : `One verification costs $${(unit_price_cents / 100).toFixed(2)}; the buyer chooses how many and pays ${provider === "stripe" ? "Stripe" : "there"}.`,
      ...(mode === "test" ? ["They are for test traffic only."] : []),
      `After checkout the buyer is sent to ${redirect_url}.`,
      ...(claim === null ? [] : [`Claim code: ${claim.code}. ${claim.instructions}`]),
    ].join("\n"),
});
