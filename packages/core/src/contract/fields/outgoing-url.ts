import { z } from "zod";

/** Where we are told to send something. What it resolves to is checked when it is sent. */
export const outgoingUrl = z
  .string()
  .max(2048)
  .refine(isPlainHttpUrl, "must be an http or https URL without a user name or password");

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
