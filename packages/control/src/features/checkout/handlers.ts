import type { checkoutOperations } from "@tollgate/core/contract/checkout";
import { actorName } from "../../kernel/actor-name.ts";
import type { Handlers, StrangerHandlers } from "../../kernel/handler.ts";
import { claimCheckout } from "./claim-checkout.ts";
import { openCheckout } from "./open-checkout.ts";

export const checkoutHandlers: Handlers<typeof checkoutOperations> = {
  "verify.checkouts.create": (context, input) =>
    openCheckout(context, { scope: context.scope, name: actorName(context.actor) }, input),

  "verify.claims.create": (context, { claim_code }) => claimCheckout(context, claim_code),
};

export const checkoutStrangerHandlers: StrangerHandlers = {
  "verify.checkouts.create": (control, input) => openCheckout(control, null, input),
};
