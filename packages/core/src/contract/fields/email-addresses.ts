import { z } from "zod";

const MAX_ADDRESSES = 10;

/** One address, or several with commas between them. */
export const emailAddresses = z
  .string()
  .max(2000)
  .refine(text => {
    const parts = text.split(",");
    return (
      parts.length <= MAX_ADDRESSES && parts.every(part => z.email().max(320).safeParse(part.trim()).success)
    );
  }, `must be an e-mail address, or up to ${MAX_ADDRESSES} with commas between them`);
