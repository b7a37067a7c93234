import { z } from "zod";
import { isLoopbackName } from "../../wire/loopback-name.ts";

/** What a URI is made of, without `#`: it ends up in a header, and a query is appended to it. */
const uri = /^[\w\-.~:/?@!$&'()*+,;=%[\]]*$/;

/** A URL that a browser is redirected to: http only on loopback. */
export const redirectUrl = z
  .string()
  .max(2048)
  .refine(
    text => uri.test(text) && isRedirectTarget(URL.parse(text)),
    "must be an https URL, or http on loopback, percent-encoded, without a user name, password or fragment",
  )
  .meta({ format: "uri" });

/** `https://app.example.org`: scheme, host and port, and nothing after them. */
export const redirectOrigin = z
  .string()
  .max(2048)
  .transform((text, context) => {
    const url = URL.parse(text);
    if (isRedirectTarget(url) && url.pathname === "/" && url.search === "" && !text.includes("#")) {
      return url.origin;
    }
    context.addIssue("must be an origin such as https://app.example.org; http only on loopback");
    return z.NEVER;
  });

function isRedirectTarget(url: URL | null): url is URL {
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackName(url.hostname));
}
