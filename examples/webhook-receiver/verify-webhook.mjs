// Is this delivery Tollgate's, whole, and new? Plain Node, no packages: copy it into your own service.
import { createHmac, timingSafeEqual } from "node:crypto";

/** Older (or newer) than this, a delivery is refused: whoever recorded one cannot use it for long. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Answers null for a good delivery, else the reason why it is refused. `body` is the raw text: parsed and written
 * again, it would be other bytes. Either signature would do; a receiver that checks both has nothing to choose.
 */
export function whyRefused({ headers, body, secret, nowSeconds }) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (!id || !timestamp) return "the Standard Webhooks headers are missing";

  const expectedHex = createHmac("sha256", secret).update(body).digest("hex");
  // For a day after the secret was changed, the old one signs beside the new: know either, and nothing is refused.
  const hex = [headers["x-webhook-signature"], headers["x-webhook-signature-previous"]];
  if (!hex.some(signature => sameText(signature, expectedHex))) return "X-Webhook-Signature does not match";

  const signed = `${id}.${timestamp}.${body}`;
  const expected = createHmac("sha256", standardKey(secret)).update(signed).digest("base64");
  // Here the two stand in one header, separated by a blank.
  const offered = (headers["webhook-signature"] ?? "").split(" ");
  if (!offered.some(signature => sameText(signature, `v1,${expected}`))) {
    return "webhook-signature does not match";
  }

  // Only now: the time is part of what was signed.
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= TOLERANCE_SECONDS)) return "the delivery is too old";
  return null;
}

/** A secret that begins with `whsec_` is base64; any other is used as it is written. */
function standardKey(secret) {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
}

function sameText(given, expected) {
  const a = Buffer.from(given ?? "");
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
