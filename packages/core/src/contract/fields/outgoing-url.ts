import { z } from "zod";

/**
 * An address that a user gave us to send to. What it resolves to is checked on sending. The parser skips line breaks and
 * tabs, so with them in it, the text that people see would name another host than the one that is sent to.
 */
export const outgoingUrl = z
  .string()
  .trim()
  .max(2048)
  .refine(isPlainHttpUrl, "must be an http or https URL without a user name or password")
  .refine(isVisible, "must not contain control characters or invisible ones");

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}

function isVisible(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
