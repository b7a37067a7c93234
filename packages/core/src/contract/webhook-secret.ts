import { z } from "zod";

const base64 = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

/** What deliveries are signed with. `whsec_` is the way of Standard Webhooks to write a key. */
export const webhookSecret = z
  .string()
  .min(1)
  .max(1024)
  .refine(
    text => !text.startsWith("whsec_") || base64.test(text),
    "must be base64 after whsec_, or not begin with it",
  );
