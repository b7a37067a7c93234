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
    summary: "Open a checkout for verifications; nothing is charged, and the balance stays as it is",
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
        description: "Where a completed checkout leads: begins with callback_url, if there was one",
      }),
      unit_price_cents: z
        .int()
        .nullable()
        .meta({ description: "US cents for one verification; null: the operator names the price" }),
      expires_at: isoTime,
      claim: z
        .strictObject({
          code: z.string().meta({ description: "Shown once; works once" }),
          instructions: z.string(),
        })
        .nullable()
        .meta({ description: "null: the verifications go to the organization that asked" }),
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
      mode: z.enum(modes).meta({ description: "Whose balance it raises" }),
      status: z.enum(["granted", "awaiting_payment"]),
      verifications: z.int().nullable().meta({
        description: "How many the balance was raised by; null: not paid yet, it will be raised then",
      }),
    }),
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
});
