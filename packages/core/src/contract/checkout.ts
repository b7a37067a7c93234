import { z } from "zod";
import { modes } from "../event.ts";
import { isoTime } from "./fields/iso-time.ts";
import { redirectUrl } from "./fields/redirect-url.ts";
import { declareOperations, writeAccess } from "./operation.ts";

/** Who takes the payment: the operator by hand, or Stripe. */
export const checkoutProviders = ["operator", "stripe"] as const;

export const checkoutOperations = declareOperations({
  "verify.checkouts.create": {
    method: "POST",
    path: "/api/verify/checkout",
    summary: "Create a checkout for verifications; this charges nothing and does not change the balance",
    body: z.strictObject({
      callback_url: redirectUrl.optional().meta({
        description:
          "Where the buyer goes after checkout; its origin must be one of the organization's redirect_origins",
      }),
    }),
    output: z.strictObject({
      id: z.string(),
      provider: z.enum(checkoutProviders),
      mode: z.enum(modes),
      checkout_url: z.string().meta({ description: "For a person to open; needs no sign-in" }),
      redirect_url: z.string().meta({
        description: "Where a completed checkout redirects to; starts with callback_url if one was given",
      }),
      unit_price_cents: z
        .int()
        .nullable()
        .meta({ description: "US cents per verification; null: the operator quotes the price" }),
      expires_at: isoTime,
      claim: z
        .strictObject({
          code: z.string().meta({ description: "Shown once; works once" }),
          instructions: z.string(),
        })
        .nullable()
        .meta({ description: "null: the verifications go to the caller's organization" }),
    }),
    status: 201,
    ...writeAccess,
    isOpenToStrangers: true,
  },
  "verify.claims.create": {
    method: "POST",
    path: "/api/verify/claims",
    summary: "Claim an anonymous purchase for the organization, with its one-time code",
    body: z.strictObject({
      claim_code: z
        .string()
        .trim()
        .regex(/^[\w-]{43}$/, "must be the code that came with the checkout"),
    }),
    output: z.strictObject({
      checkout_id: z.string(),
      mode: z.enum(modes).meta({ description: "The mode whose balance is increased" }),
      status: z.enum(["granted", "awaiting_payment"]),
      verifications: z.int().nullable().meta({
        description:
          "How many verifications were added to the balance; null: not paid yet, they are added once it is",
      }),
    }),
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
});
