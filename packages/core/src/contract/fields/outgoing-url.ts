import { z } from "zod";

/** An address that a user gave us to send to. What it resolves to is checked on sending. */
export const outgoingUrl = z
  .string()
  .max(2048)
  .refine(isPlainHttpUrl, "must be an http or https URL without a user name or password");

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
